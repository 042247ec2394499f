import { describe, expect, it } from "vitest";
import { boxOf, startingPlaces } from "./graph-boxes";
import { arrange, type LayoutRequest, separated } from "./graph-layout";

const nodes = Array.from({ length: 30 }, (_, index) => ({
  id: `n${index}`,
  width: 40 + (index % 5) * 30,
  height: 50,
  x: 0,
  y: 0,
}));
const edges = nodes
  .slice(1)
  .map(({ id }, index) => ({ id: `e${index}`, source: id, target: `n${index >> 1}` }));
const box = { id: "box", width: 10, height: 10, x: 0, y: 0 };
const request: LayoutRequest = {
  number: 1,
  layout: "force",
  nodes,
  edges,
  again: false,
  width: 900,
  height: 600,
};

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function overlapping(boxes: readonly Box[]): number {
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter(
        (other) =>
          Math.abs(one.x - other.x) < (one.width + other.width) / 2 - 1 &&
          Math.abs(one.y - other.y) < (one.height + other.height) / 2 - 1,
      ),
  ).length;
}

describe("a layout", () => {
  it("gives every node a room of its own, and the same one each time", () => {
    const places = arrange(request);
    const rooms = places.map((place, index) => ({ ...nodes[index], ...place }) as Box);

    expect(places.map(({ id }) => id)).toEqual(nodes.map(({ id }) => id));
    expect(overlapping(rooms)).toBe(0);
    expect(arrange(request)).toEqual(places);
  });
  it("runs from left to right for a flow", () => {
    const places = new Map(arrange({ ...request, layout: "flow" }).map((place) => [place.id, place]));

    for (const { source, target } of edges)
      expect(places.get(source)?.x ?? 0).toBeLessThan(places.get(target)?.x ?? 0);
  });
  it("places what is inside of other nodes, and not those", () => {
    const inside = { ...request, nodes: [...nodes.map((node) => ({ ...node, parent: "box" })), box] };

    expect(arrange(inside)).toHaveLength(nodes.length);
  });
});

describe("rooms", () => {
  it("are pushed apart even where all are in one place", () => {
    expect(overlapping(nodes)).toBeGreaterThan(0);
    expect(overlapping(separated(nodes))).toBe(0);
  });
  it("have space for the label, which is larger for a larger node", () => {
    const short = boxOf({ id: "a", label: "Short" });
    const long = boxOf({ id: "b", label: "A title of a good many words that needs some lines" });
    const large = boxOf({ id: "c", label: "Short", size: 5 });

    expect(long.roomHeight).toBeGreaterThan(short.roomHeight);
    expect(long.roomWidth).toBeLessThanOrEqual(long.labelWidth);
    expect(large.font).toBeGreaterThan(short.font);
    expect(short.roomHeight).toBeCloseTo(short.height + 2 * short.lift);
  });
  it("start at their place, or beside a neighbour that has one", () => {
    const ends = [
      { id: "a", label: "" },
      { id: "b", label: "" },
      { id: "c", label: "" },
    ];
    const links = [{ id: "l", source: "b", target: "a" }];
    const places = startingPlaces(ends, links, new Map([["a", { x: 500, y: 500 }]]));

    expect(places.get("a")).toEqual({ x: 500, y: 500 });
    expect(Math.hypot((places.get("b")?.x ?? 0) - 500, (places.get("b")?.y ?? 0) - 500)).toBeCloseTo(60);
    expect(places.has("c")).toBe(false);
  });
});
