import cytoscape from "cytoscape";
import dagre from "cytoscape-dagre";
import fcose from "cytoscape-fcose";
import type { GraphEdge, GraphNode } from "./graph";
import { graphStyle } from "./graph-style";

cytoscape.use(fcose);
cytoscape.use(dagre);

const MANY = 600; // beyond this many nodes, moving redraws a picture and labels wait for a closer look
const CLOSEST_FIT = 1.4; // a few nodes are not blown up to fill the frame
const VAST = 2000; // beyond this many, the layout is a draft

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
}

export function drawGraph(frame: HTMLElement, acts: Acts): DrawnGraph {
  allowStrictPolicy();
  const graph = cytoscape({
    container: frame,
    style: graphStyle(),
    minZoom: 0.02,
    maxZoom: 4,
    hideEdgesOnViewport: false,
    textureOnViewport: true,
    pixelRatio: "auto",
  });
  graph.on("tap", (event) => acts.select(event.target === graph ? undefined : event.target.id()));
  graph.on("dbltap", "node", (event) => acts.open(event.target.id()));
  graph.on("layoutstop", () => {
    if (graph.zoom() > CLOSEST_FIT) graph.zoom(CLOSEST_FIT);
    if (graph.zoom() === CLOSEST_FIT) graph.center();
  });
  const observer = new ResizeObserver(() => graph.resize());
  observer.observe(frame);
  return {
    show: (nodes, edges, layout) => show(graph, nodes, edges, layout),
    mark: (selected, highlighted) => mark(graph, selected, highlighted),
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

/** Change the graph to `nodes` and `edges`. Nodes that stay keep their place unless something new needs one. */
function show(
  graph: cytoscape.Core,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  layout: "force" | "flow",
): void {
  const ids = new Set([...nodes.map((node) => node.id), ...edges.map((edge) => edge.id)]);
  const before = graph.nodes().length;
  let added = 0;
  graph.batch(() => {
    graph
      .elements()
      .filter((element) => !ids.has(element.id()))
      .remove();
    for (const element of [...nodes.map(nodeElement), ...edges.map(edgeElement)]) {
      const present = graph.getElementById(element.data.id ?? "");
      if (present.nonempty()) present.data(element.data).classes(element.classes);
      else {
        graph.add(element);
        added += 1;
      }
    }
    if (before > 0) placeBesideNeighbours(graph, nodes);
    graph.nodes().toggleClass("many", nodes.length > MANY);
  });
  if (added === 0 && before === nodes.length) return;
  graph.layout(layoutOptions(layout, nodes.length, before > 0)).run();
}

/** New nodes start beside a neighbour that has a place, so that little moves when a graph grows. */
function placeBesideNeighbours(graph: cytoscape.Core, nodes: readonly GraphNode[]): void {
  nodes.forEach((node, index) => {
    const element = graph.getElementById(node.id);
    const { x, y } = element.position();
    if (element.isParent() || x !== 0 || y !== 0) return;
    const near = element
      .neighborhood()
      .nodes()
      .map((other) => other.position())
      .find((place) => place.x !== 0 || place.y !== 0);
    if (near)
      element.position({ x: near.x + 60 * Math.cos(index * 2.4), y: near.y + 60 * Math.sin(index * 2.4) });
  });
}

function layoutOptions(layout: "force" | "flow", count: number, again: boolean): cytoscape.LayoutOptions {
  const animate = again && count < MANY && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const shared = { animate, animationDuration: 260, fit: true, padding: 30 };
  if (layout === "flow")
    return { name: "dagre", rankDir: "LR", nodeSep: 18, rankSep: 56, ...shared } as cytoscape.LayoutOptions;
  return {
    name: "fcose",
    quality: count > VAST ? "draft" : "default",
    randomize: !again,
    nodeSeparation: 60,
    idealEdgeLength: 60,
    nodeDimensionsIncludeLabels: true,
    tilingPaddingVertical: 24,
    tilingPaddingHorizontal: 24,
    packComponents: true,
    numIter: count > MANY ? 500 : 2500,
    ...shared,
  } as unknown as cytoscape.LayoutOptions;
}

function nodeElement(node: GraphNode) {
  const { id, label, parent, shape = "ellipse", tone = "neutral" } = node;
  return {
    group: "nodes" as const,
    data: { id, label, shape, tone, ...sizeOf(node), ...(parent ? { parent } : {}) },
    classes: classes(node, ["faded", "hidden", "box"]),
  };
}

function sizeOf({ label, box, size = 1 }: GraphNode): { width: number; height: number } {
  if (!box) return { width: 22 * size, height: 22 * size };
  return { width: Math.min(200, Math.max(72, label.length * 7 + 22)), height: 34 * size };
}

function edgeElement(edge: GraphEdge) {
  const { id, source, target, label = "", tone = "neutral" } = edge;
  return {
    group: "edges" as const,
    data: { id, source, target, label, tone },
    classes: classes(edge, ["dashed", "hidden", "plain"]),
  };
}

function classes<T extends string>(flags: { readonly [name in T]?: boolean }, names: readonly T[]): string {
  return names.filter((name) => flags[name]).join(" ");
}

function mark(graph: cytoscape.Core, selected: string | undefined, highlighted: ReadonlySet<string>): void {
  graph.batch(() => {
    graph.elements().removeClass("dim strong");
    graph.elements().unselect();
    if (highlighted.size > 0) {
      graph.elements().forEach((element) => {
        element.addClass(highlighted.has(element.id()) || element.isParent?.() ? "strong" : "dim");
      });
    }
    if (selected) graph.getElementById(selected).select();
  });
}

/** Cytoscape adds a style element unless one with its id is there; the content policy allows none, and graph.css has its rule. */
function allowStrictPolicy(): void {
  const id = "__________cytoscape_stylesheet";
  if (document.getElementById(id)) return;
  const placeholder = document.createElement("meta");
  placeholder.id = id;
  document.head.append(placeholder);
}
