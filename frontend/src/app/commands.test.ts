import { describe, expect, it } from "vitest";
import { type Command, matchCommands } from "./commands";

const command = (label: string): Command => ({
  id: label,
  label,
  icon: "search",
  group: "",
  run: () => undefined,
});
const labels = ["Go to Overview", "Go to Memories", "Go to Review", "Use the dark theme"].map(command);
const found = (text: string) => matchCommands(labels, text).map((match) => match.label);

describe("palette matches", () => {
  it("lists everything for an empty text", () => {
    expect(found("  ")).toHaveLength(4);
  });

  it("puts the beginning of a word before letters in between", () => {
    expect(found("re").slice(0, 2)).toEqual(["Go to Review", "Go to Overview"]);
  });

  it("finds letters in order, and nothing else", () => {
    expect(found("gmem")).toEqual(["Go to Memories"]);
    expect(found("xyz")).toEqual([]);
  });
});
