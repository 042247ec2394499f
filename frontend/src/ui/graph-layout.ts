import cytoscape from "cytoscape";
import dagre from "cytoscape-dagre";
import fcose from "cytoscape-fcose";

cytoscape.use(fcose);
cytoscape.use(dagre);

const VAST = 2000; // beyond this many nodes, the layout is a draft
const CROWD = 400; // beyond this many, boxes may overlap
const ROUNDS = 300; // of pushing boxes apart, at most
const GAP = 6; // pixels between two boxes
const LINK = 24; // pixels between the boxes of two linked nodes
const PARENT_PADDING = "28px"; // around what is inside of a node, with space for its label above

/** A node with the room that it takes, label included. `x` and `y` are the middle of that room. */
export interface LayoutNode {
  readonly id: string;
  readonly parent?: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
}

export interface LayoutRequest {
  readonly number: number;
  readonly layout: "force" | "flow";
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly { readonly id: string; readonly source: string; readonly target: string }[];
  /** Whether nodes have places, which should change little. */
  readonly again: boolean;
  /** Of the frame that the picture should fill. */
  readonly width: number;
  readonly height: number;
}

export interface Place {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

/** The places of all nodes that contain no others. The same request has the same answer. */
export function arrange(request: LayoutRequest): Place[] {
  Math.random = repeatable(7); // which is all that the layouts draw from
  const graph = cytoscape({
    headless: true,
    styleEnabled: true,
    style: [
      {
        selector: "node",
        style: { width: "data(width)", height: "data(height)", shape: "rectangle", "border-width": 0 },
      },
      { selector: ":parent", style: { padding: PARENT_PADDING, "min-width": "data(width)" } },
    ],
    elements: {
      nodes: request.nodes.map(({ x, y, parent, ...data }) => ({
        data: parent ? { ...data, parent } : data,
        position: { x, y },
      })),
      edges: request.edges.map((data) => ({ data: { ...data } })),
    },
  });
  graph.layout(request.layout === "flow" ? flow() : force(request)).run();
  const leaves = graph
    .nodes()
    .filter((node) => !node.isParent())
    .nodes();
  const turn = request.layout === "force" && !request.again && isAcross(graph, request);
  const boxes = leaves.map((node) => ({
    id: node.id(),
    x: turn ? node.position().y : node.position().x,
    y: turn ? node.position().x : node.position().y,
    width: Number(node.data("width")),
    height: Number(node.data("height")),
  }));
  const isPlain =
    request.layout === "force" && boxes.length <= CROWD && leaves.length === graph.nodes().length;
  graph.destroy();
  return isPlain ? separated(boxes) : boxes;
}

/** Whether a picture without compound nodes is tall in a wide frame, or wide in a tall one. */
function isAcross(graph: cytoscape.Core, frame: { width: number; height: number }): boolean {
  if (graph.nodes(":parent").nonempty()) return false;
  const { w, h } = graph.nodes().boundingBox();
  return w > h !== frame.width > frame.height;
}

function flow(): cytoscape.LayoutOptions {
  const options = { name: "dagre", rankDir: "LR", nodeSep: 18, rankSep: 56, animate: false, fit: false };
  return options as cytoscape.LayoutOptions;
}

function force({ nodes, again }: LayoutRequest): cytoscape.LayoutOptions {
  const half = (node: cytoscape.NodeSingular) => (node.width() + node.height()) / 4;
  return {
    name: "fcose",
    quality: nodes.length > VAST ? "draft" : "default",
    randomize: !again,
    nodeSeparation: 60,
    idealEdgeLength: (edge: cytoscape.EdgeSingular) => LINK + half(edge.source()) + half(edge.target()),
    nodeDimensionsIncludeLabels: false,
    tilingPaddingVertical: 12,
    tilingPaddingHorizontal: 12,
    numIter: 2500,
    animate: false,
    fit: false,
  } as unknown as cytoscape.LayoutOptions;
}

interface Box {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The same boxes, pushed apart until none lies on another, or until that takes too long. */
export function separated(boxes: readonly Box[]): Box[] {
  const moved = boxes.map((box) => ({ ...box }));
  for (let round = 0; round < ROUNDS; round += 1) {
    let pushes = 0;
    for (const [index, one] of moved.entries()) {
      for (const other of moved.slice(index + 1)) pushes += Number(pushApart(one, other));
    }
    if (pushes === 0) break;
  }
  return moved;
}

type Movable = { -readonly [name in keyof Box]: Box[name] };

/** Move both along the axis on which they overlap least; whether they did. */
function pushApart(one: Movable, other: Movable): boolean {
  const across = (one.width + other.width) / 2 + GAP - Math.abs(one.x - other.x);
  const down = (one.height + other.height) / 2 + GAP - Math.abs(one.y - other.y);
  if (across <= 0.5 || down <= 0.5) return false;
  const axis = across < down ? "x" : "y";
  const push = (Math.min(across, down) / 2) * (one[axis] <= other[axis] ? 1 : -1);
  one[axis] -= push;
  other[axis] += push;
  return true;
}

/** Random numbers that are the same each time (mulberry32). */
function repeatable(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
