// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { exactPatterns, filteredRuns, type GraphTask, graphOf, type RunRow, valueText } from "./model";

const task = (id: string, rest: Partial<GraphTask> = {}): GraphTask => ({
  id,
  tool: "server:tool",
  status: "pending",
  layer: 0,
  needs: [],
  ...rest,
});
const run = (id: string, status: string, intent: string): RunRow => ({
  id,
  status,
  intent,
  started_at: "",
  changed_at: "",
  events: 1,
});

describe("filteredRuns", () => {
  const runs = [
    run("run-1", "paused", "Refund TW-1"),
    run("run-2", "failed", "Rebook"),
    run("run-3", "running", ""),
  ];
  it("keeps one state, and what has every word", () => {
    expect(filteredRuns(runs, "waiting", "").map((each) => each.id)).toEqual(["run-1"]);
    expect(filteredRuns(runs, "ended", "").map((each) => each.id)).toEqual(["run-2"]);
    expect(filteredRuns(runs, "all", " tw-1 REFUND ").map((each) => each.id)).toEqual(["run-1"]);
    expect(filteredRuns(runs, "all", "run-").length).toBe(3);
  });
});

describe("graphOf", () => {
  it("draws needs as arrows, and what a list began as dashed ones", () => {
    const { nodes, edges } = graphOf([
      task("a", { status: "succeeded" }),
      task("b", { needs: ["a", "gone"] }),
      task("b[0]", { parent: "b" }),
    ]);
    expect(nodes.map((node) => node.label)).toEqual(["✓ a", "· b", "· b[0]"]);
    expect(edges.map((edge) => [edge.source, edge.target, edge.dashed ?? false])).toEqual([
      ["a", "b", false],
      ["b", "b[0]", true],
    ]);
  });
  it("draws a long list in part, and every edge has both ends", () => {
    const items = Array.from({ length: 300 }, (_, index) => task(`b[${index}]`, { parent: "b" }));
    const { nodes, edges } = graphOf([task("b"), ...items]);
    const ids = new Set(nodes.map((node) => node.id));
    expect(nodes.at(-1)?.label).toBe("276 more");
    expect(nodes.length).toBe(26);
    expect(edges.every((edge) => ids.has(edge.source) && ids.has(edge.target))).toBe(true);
  });
});

describe("values", () => {
  it("are pretty, and text is itself", () => {
    expect(valueText({ a: 1 })).toBe('{\n  "a": 1\n}');
    expect(valueText("a\nb")).toBe("a\nb");
    expect(valueText(undefined)).toBe("null");
  });
  it("become patterns that match themselves alone, as Python writes them", () => {
    expect(exactPatterns({ path: "a*[b]?", n: 3, list: ["ä", { b: 1, a: [true, null] }] })).toEqual({
      path: "a[*][[]b][?]",
      n: "3",
      list: '[[]"\\u00e4", {"a": [[]true, null], "b": 1}]',
    });
  });
});
