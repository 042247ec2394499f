import type cytoscape from "cytoscape";
import type { GraphEdge, GraphNode } from "./graph";
import { boxOf } from "./graph-boxes";
import type { Place } from "./graph-layout";

const MANY = 600; // beyond this many nodes, none are seen moving to their new place
const CROWD = 40; // beyond this many, small labels wait for a closer look
const CLOSEST_FIT = 1.4; // a few nodes are not blown up to fill the frame
const LEGIBLE = 0.5; // below this zoom no label is shown; a small screen shows the middle of a small graph instead
const PADDING = 30;
const SLICE = 50; // elements that are added in one frame: the page answers between two frames
const MOVE = 260; // milliseconds

interface Picture {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Of the rooms of the nodes. */
  readonly places: readonly Place[];
}

/** Show another picture, some elements in each frame, as long as it is wanted; call `done` when all are there. */
export function replace(
  graph: cytoscape.Core,
  picture: Picture,
  isWanted: () => boolean,
  done: () => void,
): void {
  if (!isWanted()) return;
  const positions = positionsOf(picture);
  const ids = new Set([...picture.nodes, ...picture.edges].map(({ id }) => id));
  const animate =
    graph.nodes().nonempty() &&
    picture.nodes.length < MANY &&
    !matchMedia("(prefers-reduced-motion: reduce)").matches;
  graph.batch(() => {
    const gone = graph.elements().filter((element) => !ids.has(element.id()));
    gone.union(reparented(graph, picture.nodes)).remove();
  });
  move(graph, positions, animate);
  if (picture.places.length > 0) look(graph, viewport(graph, picture), animate);
  const elements = elementsOf(picture, positions);
  const rest = elements.filter(({ data }) => graph.getElementById(data.id).empty());
  graph.batch(() => {
    for (const { data, classes } of elements) graph.getElementById(data.id).data(data).classes(classes);
  });
  const addSome = () => {
    if (!isWanted()) return;
    graph.add(rest.splice(0, SLICE));
    if (rest.length > 0) requestAnimationFrame(addSome);
    else done();
  };
  addSome();
}

/** Nodes that are in another node than before; they are added again. */
function reparented(graph: cytoscape.Core, nodes: readonly GraphNode[]): cytoscape.CollectionReturnValue {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  return graph.nodes().filter((node) => (node.data("parent") ?? undefined) !== parents.get(node.id()));
}

function positionsOf({ nodes, places }: Picture): Map<string, cytoscape.Position> {
  const lifts = new Map(nodes.map((node) => [node.id, boxOf(node).lift]));
  return new Map(places.map(({ id, x, y }) => [id, { x, y: y - (lifts.get(id) ?? 0) }]));
}

function elementsOf({ nodes, edges }: Picture, positions: ReadonlyMap<string, cytoscape.Position>) {
  const crowd = nodes.length > CROWD ? " crowd" : "";
  return [...nodes.map(nodeElement), ...edges.map(edgeElement)].map((element) => {
    const position = positions.get(element.data.id);
    return { ...element, classes: element.classes + crowd, ...(position ? { position } : {}) };
  });
}

function move(
  graph: cytoscape.Core,
  positions: ReadonlyMap<string, cytoscape.Position>,
  animate: boolean,
): void {
  graph.nodes().forEach((node) => {
    const position = positions.get(node.id());
    if (!position) return;
    if (animate) node.animate({ position }, { duration: MOVE });
    else node.position(position);
  });
}

/** The zoom and pan that show all rooms. */
function viewport(graph: cytoscape.Core, { nodes, places }: Picture) {
  const boxes = new Map(nodes.map((node) => [node.id, boxOf(node)]));
  const margin = nodes.some((node) => node.parent) ? 40 : 0; // of the nodes that contain others
  const half = (id: string, name: "roomWidth" | "roomHeight") => (boxes.get(id)?.[name] ?? 0) / 2 + margin;
  const left = Math.min(...places.map(({ id, x }) => x - half(id, "roomWidth")));
  const right = Math.max(...places.map(({ id, x }) => x + half(id, "roomWidth")));
  const top = Math.min(...places.map(({ id, y }) => y - half(id, "roomHeight")));
  const bottom = Math.max(...places.map(({ id, y }) => y + half(id, "roomHeight")));
  const width = graph.width();
  const height = graph.height();
  const fitting = Math.min(
    (width - 2 * PADDING) / Math.max(1, right - left),
    (height - 2 * PADDING) / Math.max(1, bottom - top),
  );
  const smallest = nodes.length > CROWD ? graph.minZoom() : LEGIBLE;
  const zoom = Math.max(smallest, Math.min(CLOSEST_FIT, fitting));
  const pan = { x: width / 2 - (zoom * (left + right)) / 2, y: height / 2 - (zoom * (top + bottom)) / 2 };
  return { zoom, pan };
}

function look(graph: cytoscape.Core, to: ReturnType<typeof viewport>, animate: boolean): void {
  if (animate) graph.animate(to, { duration: MOVE });
  else graph.viewport(to);
}

export function nodeElement(node: GraphNode) {
  const { id, label, parent, shape = "ellipse", tone = "neutral" } = node;
  const { width, height, font, labelWidth } = boxOf(node);
  return {
    group: "nodes" as const,
    data: { id, label, shape, tone, width, height, font, labelWidth, ...(parent ? { parent } : {}) },
    classes: classes(node, ["faded", "hidden", "box"]),
  };
}

export function edgeElement(edge: GraphEdge) {
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
