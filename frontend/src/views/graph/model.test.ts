import { describe, expect, it } from "vitest";
import { aroundNode, dayNumber, dayText, type GraphMap, legendRows, picture, stateAt, unseen } from "./model";

const node = (id: string, more: Partial<GraphMap["nodes"][number]> = {}) => ({
  id,
  title: `Title of ${id}`,
  kind: "decision",
  status: "active",
  begins: "2026-02-01T00:00:00Z",
  ends: null,
  links: 1,
  community: "a",
  ...more,
});

const MAP: GraphMap = {
  level: "nodes",
  nodes: [
    node("a", { links: 3 }),
    node("b", { ends: "2026-03-01T09:00:00Z" }),
    node("skill:c", { kind: "skill", begins: "" }),
  ],
  links: [
    { source: "a", type: "caused", target: "b", evidence: null },
    { source: "skill:c", type: "describes", target: "a", evidence: "x" },
  ],
  communities: [],
  between: [],
  total_nodes: 9,
  total_links: 9,
  unlinked: 0,
  left_out: 0,
  earliest: "2026-02-01T00:00:00Z",
};

const choices = { hidden: new Set<string>(), at: "2026-04-01", grouped: false };

describe("communities", () => {
  it("have only their strongest links drawn, and at least some of each", () => {
    const ids = Array.from({ length: 8 }, (_, index) => `c${index}`);
    const between = ids
      .flatMap((source, index) => ids.slice(index + 1).map((target) => ({ source, target })))
      .map((ends, index) => ({ ...ends, links: 100 - index }));
    const communities = ids.map((id) => ({ id, title: id, size: 9, in_force: 9, kinds: { decision: 9 } }));
    const { edges } = picture({ ...MAP, level: "communities", communities, between }, choices);

    expect(edges.length).toBeLessThan(between.length);
    expect(edges.slice(0, 3).map((edge) => edge.id)).toEqual(["c0 c1", "c0 c2", "c0 c3"]);
    for (const id of ids)
      expect(edges.filter((edge) => [edge.source, edge.target].includes(id)).length).toBeGreaterThanOrEqual(
        3,
      );
  });
});

describe("a picture", () => {
  it("fades what has ended and hides what has not begun", () => {
    const now = picture(MAP, choices).nodes;
    expect(now.map((each) => [each.id, each.faded, each.hidden])).toEqual([
      ["a", false, false],
      ["b", true, false],
      ["skill:c", false, false],
    ]);
    const before = picture(MAP, { ...choices, at: "2026-01-31" }).nodes;
    expect(before.map((each) => each.hidden)).toEqual([true, true, false]);
  });

  it("counts a day to its end", () => {
    const [a, b] = MAP.nodes;
    expect(a && stateAt(a, "2026-02-01")).toBe("in_force");
    expect(b && stateAt(b, "2026-03-01")).toBe("ended");
    expect(b && stateAt(b, "2026-03-01T08:59:59Z")).toBe("in_force");
  });

  it("hides kinds and types without taking them away, so that nothing else moves", () => {
    const { nodes, edges } = picture(MAP, { ...choices, hidden: new Set(["skill", "caused"]) });
    expect(nodes.map((each) => each.hidden)).toEqual([false, false, true]);
    expect(edges.map((each) => each.hidden)).toEqual([true, false]);
  });

  it("puts the members of a community into one box", () => {
    const { nodes } = picture(MAP, { ...choices, grouped: true });
    expect(nodes[0]).toEqual({ id: "community a", label: "Title of a" });
    expect(nodes.slice(1).map((each) => each.parent)).toEqual(Array(3).fill("community a"));
  });
});

it("knows the neighbours of a node and how many are not shown", () => {
  expect([...aroundNode(MAP, "b")]).toEqual(["b", "a", "a caused b"]);
  expect([...unseen(MAP)]).toEqual([
    ["a", 1],
    ["b", 0],
    ["skill:c", 0],
  ]);
});

it("lists the kinds and types that are there", () => {
  expect(legendRows(MAP).map((row) => [row.key, row.count])).toEqual([
    ["decision", 2],
    ["skill", 1],
    ["caused", 1],
    ["describes", 1],
  ]);
});

it("counts days without the time of day", () => {
  expect(dayText(dayNumber("2026-11-16T23:30:00Z"))).toBe("2026-11-16");
});
