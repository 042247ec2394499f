import cytoscape from "cytoscape";
import type { GraphEdge, GraphNode } from "./graph";
import { arranged, started } from "./graph-arranger";
import { boxOf, startingPlaces } from "./graph-boxes";
import { edgeElement, nodeElement, replace } from "./graph-elements";
import type { LayoutRequest } from "./graph-layout";
import { graphStyle } from "./graph-style";

export interface DrawnGraph {
  show: (nodes: readonly GraphNode[], edges: readonly GraphEdge[], layout: "force" | "flow") => void;
  mark: (selected: string | undefined, highlighted: ReadonlySet<string>) => void;
  restyle: () => void;
  zoom: (factor: number) => void;
  fit: () => void;
  destroy: () => void;
}

interface Acts {
  select: (id: string | undefined) => void;
  open: (id: string) => void;
  fail: (reason: Error) => void;
}

export function drawGraph(frame: HTMLElement, acts: Acts): DrawnGraph {
  allowStrictPolicy();
  started();
  const graph = cytoscape({
    container: frame,
    style: graphStyle(),
    minZoom: 0.02,
    maxZoom: 4,
    textureOnViewport: false, // making the texture takes longer than drawing what is shown
    pixelRatio: "auto",
  });
  graph.on("tap", (event) => acts.select(event.target === graph ? undefined : event.target.id()));
  graph.on("dbltap", "node", (event) => acts.open(event.target.id()));
  const observer = new ResizeObserver(() => graph.resize());
  observer.observe(frame);
  let wanted = 0;
  let marks: readonly [string | undefined, ReadonlySet<string>] = [undefined, new Set()];
  const show: DrawnGraph["show"] = (nodes, edges, layout) => {
    wanted += 1;
    const number = wanted;
    if (hasSame(graph, nodes, edges)) {
      update(graph, nodes, edges);
      frame.setAttribute("data-placed", `${number}`);
      return;
    }
    frame.removeAttribute("data-placed");
    arranged(layoutRequest(graph, nodes, edges, layout)).then((places) => {
      const isWanted = () => number === wanted && !graph.destroyed(); // else another picture is
      replace(graph, { nodes, edges, places }, isWanted, () => {
        mark(graph, ...marks);
        frame.setAttribute("data-placed", `${number}`);
      });
    }, acts.fail);
  };
  return {
    show,
    mark: (...latest) => {
      marks = latest;
      mark(graph, ...latest);
    },
    restyle: () => void graph.style(graphStyle()),
    zoom: (factor) =>
      void graph.zoom({
        level: graph.zoom() * factor,
        renderedPosition: { x: frame.clientWidth / 2, y: frame.clientHeight / 2 },
      }),
    fit: () => void graph.fit(undefined, 30),
    destroy: () => {
      observer.disconnect();
      graph.destroy();
    },
  };
}

function hasSame(graph: cytoscape.Core, nodes: readonly GraphNode[], edges: readonly GraphEdge[]): boolean {
  const elements = [...nodes, ...edges];
  return (
    elements.length === graph.elements().length &&
    elements.every(({ id }) => graph.getElementById(id).nonempty()) &&
    nodes.every(({ id, parent }) => (graph.getElementById(id).data("parent") ?? undefined) === parent)
  );
}

/** Change how elements look; all of them have their places. */
function update(graph: cytoscape.Core, nodes: readonly GraphNode[], edges: readonly GraphEdge[]): void {
  const marks = (element: cytoscape.SingularElementArgument) =>
    ["dim", "strong", "crowd"].filter((name) => element.hasClass(name)).join(" ");
  graph.batch(() => {
    for (const { data, classes } of [...nodes.map(nodeElement), ...edges.map(edgeElement)]) {
      const element = graph.getElementById(data.id);
      element.data(data).classes(`${classes} ${marks(element)}`);
    }
  });
}

/** What is needed to place the nodes. Those that have a place keep it as far as that goes. */
function layoutRequest(
  graph: cytoscape.Core,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  layout: "force" | "flow",
): Omit<LayoutRequest, "number"> {
  const known = new Map(graph.nodes().map((node) => [node.id(), node.position()] as const));
  const places = startingPlaces(nodes, edges, known);
  const parents = new Set(nodes.map((node) => node.parent));
  return {
    layout,
    nodes: nodes.map((node) => {
      const { roomWidth, roomHeight, lift } = boxOf(node);
      const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
      const width = parents.has(node.id) ? node.label.length * 7 : roomWidth;
      return { id: node.id, parent: node.parent, width, height: roomHeight, x, y: y + lift };
    }),
    edges: edges.map(({ id, source, target }) => ({ id, source, target })),
    again: nodes.some((node) => known.has(node.id)),
    width: graph.width(),
    height: graph.height(),
  };
}

/** Highlight some elements. Only those that look different afterwards are touched, because each costs a restyle. */
function mark(graph: cytoscape.Core, selected: string | undefined, highlighted: ReadonlySet<string>): void {
  graph.batch(() => {
    const isAny = highlighted.size > 0;
    const strong = graph.elements().filter((each) => isAny && (highlighted.has(each.id()) || isParent(each)));
    const dim = isAny ? graph.elements().difference(strong) : graph.collection();
    for (const [name, marked] of [
      ["strong", strong],
      ["dim", dim],
    ] as const) {
      graph.$(`.${name}`).difference(marked).removeClass(name);
      marked.not(`.${name}`).addClass(name);
    }
    const chosen = selected ? graph.getElementById(selected) : graph.collection();
    graph.$(":selected").difference(chosen).unselect();
    chosen.select();
  });
}

function isParent(element: cytoscape.SingularElementArgument): boolean {
  return element.isNode() && element.isParent();
}

/** Cytoscape adds a style element unless one with its id is there; the content policy allows none, and graph.css has its rule. */
function allowStrictPolicy(): void {
  const id = "__________cytoscape_stylesheet";
  if (document.getElementById(id)) return;
  const placeholder = document.createElement("meta");
  placeholder.id = id;
  document.head.append(placeholder);
}
