import type { GraphEdge, GraphNode } from "./graph";

const LINE = 1.15; // the height of a line, in the size of its font
const CHARACTER = 0.6; // the width of a character, in the size of its font
const LABEL_GAP = 5;

export interface NodeBox {
  /** Of the shape. */
  readonly width: number;
  readonly height: number;
  readonly font: number;
  readonly labelWidth: number;
  /** Of the shape with its label. */
  readonly roomWidth: number;
  readonly roomHeight: number;
  /** How far the middle of the shape is above the middle of that room. */
  readonly lift: number;
}

/** How large a node and its label are drawn. The label of a larger node is larger, so it stays readable from afar. */
export function boxOf({ label, box, size = 1 }: GraphNode): NodeBox {
  if (box) {
    const width = Math.min(200, Math.max(72, label.length * 7 + 22));
    const height = 34 * size;
    return { width, height, font: 12, labelWidth: 180, roomWidth: width, roomHeight: height, lift: 0 };
  }
  const side = 22 * size;
  const font = Math.min(30, 12 + 3 * size);
  const labelWidth = font * 9;
  const lines = wrapped(label, labelWidth / (font * CHARACTER));
  const textWidth = Math.min(labelWidth, Math.max(...lines) * font * CHARACTER);
  const textHeight = lines.length * font * LINE + LABEL_GAP;
  return {
    width: side,
    height: side,
    font,
    labelWidth,
    roomWidth: Math.max(side, textWidth),
    roomHeight: side + textHeight,
    lift: textHeight / 2,
  };
}

/** The lengths of the lines of a text that is wrapped at words. */
function wrapped(text: string, most: number): number[] {
  const lines = [0];
  for (const { length } of text.split(/\s+/)) {
    const line = lines.at(-1) ?? 0;
    if (line > 0 && line + 1 + length > most) lines.push(length);
    else lines[lines.length - 1] = line > 0 ? line + 1 + length : length;
  }
  return lines;
}

type Point = { readonly x: number; readonly y: number };

/** Where each node starts: at its place, or beside a neighbour that has one, so that little moves when a graph grows. */
export function startingPlaces(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  known: ReadonlyMap<string, Point>,
): Map<string, Point> {
  const anchors = new Map<string, Point>();
  for (const { source, target } of edges) {
    for (const [one, other] of [
      [source, target],
      [target, source],
    ] as const) {
      const place = known.get(other);
      if (place && !anchors.has(one)) anchors.set(one, place);
    }
  }
  const places = new Map<string, Point>();
  for (const [index, { id }] of nodes.entries()) {
    const anchor = anchors.get(id);
    const beside = anchor && {
      x: anchor.x + 60 * Math.cos(index * 2.4),
      y: anchor.y + 60 * Math.sin(index * 2.4),
    };
    const place = known.get(id) ?? beside;
    if (place) places.set(id, place);
  }
  return places;
}
