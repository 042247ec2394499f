import { describe, expect, it } from "vitest";
import { type Capability, commandOf, copiesOf, names, nodeId, pictureOf } from "./model";

const capability = (name: string, tools: string[], stale: string[] = []): Capability => ({
  name,
  intent: name,
  parameters: {},
  tools,
  runs: 1,
  successes: 1,
  success: 0.6,
  stale,
});
const all = [
  capability("report", ["git:log", "mail:send"], ["mail:send"]),
  capability("digest", ["git:log"]),
];

describe("pictureOf", () => {
  it("repeats a tool in each capability that has it", () => {
    const { nodes, places } = pictureOf(all, new Set());
    expect(nodes.map((node) => [node.label, node.parent])).toEqual([
      ["report", undefined],
      ["git:log", "capability report"],
      ["mail:send", "capability report"],
      ["digest", undefined],
      ["git:log", "capability digest"],
    ]);
    expect(new Set(nodes.map((node) => node.id)).size).toBe(nodes.length);
    expect(places.get(nodeId({ capability: "digest", tool: "git:log" }))).toEqual({
      capability: "digest",
      tool: "git:log",
    });
  });
  it("draws a closed capability as one node", () => {
    expect(pictureOf(all, new Set(["report"])).nodes.map((node) => node.label)).toEqual([
      "report (2)",
      "digest",
      "git:log",
    ]);
  });
});

describe("copiesOf", () => {
  it("has every copy, and closed capabilities in their place", () => {
    expect([...copiesOf("git:log", all, new Set(["report"]))]).toEqual([
      "capability report",
      "digest has git:log",
    ]);
    expect(copiesOf("mail:send", all, new Set()).size).toBe(1);
  });
});

describe("commandOf", () => {
  it("quotes what a shell would change", () => {
    expect(commandOf("report", {})).toBe("recollect capability run report");
    expect(commandOf("report", { n: 3, text: "it's" })).toBe(
      `recollect capability run report --set n=3 --set 'text="it'\\''s"'`,
    );
    expect([...names("a,,b")]).toEqual(["a", "b"]);
  });
});
