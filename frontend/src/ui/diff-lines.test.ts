import { describe, expect, it } from "vitest";
import { diffLines } from "./diff-lines";

const sides = (before: string, after: string) => {
  const result = diffLines(before, after);
  return {
    before: result
      .filter((line) => line.kind !== "added")
      .map((line) => line.text)
      .join("\n"),
    after: result
      .filter((line) => line.kind !== "removed")
      .map((line) => line.text)
      .join("\n"),
    changed: result.filter((line) => line.kind !== "same").length,
  };
};

describe("diff", () => {
  it("keeps equal lines and shows the rest", () => {
    expect(diffLines("a\nb\nc", "a\nx\nc")).toEqual([
      { kind: "same", text: "a" },
      { kind: "removed", text: "b" },
      { kind: "added", text: "x" },
      { kind: "same", text: "c" },
    ]);
  });

  it("rebuilds both sides from any pair of texts", () => {
    const letters = ["a", "b", "", "a "];
    let seed = 7;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    const text = () =>
      Array.from({ length: Math.floor(random() * 8) }, () => letters[Math.floor(random() * 4)]).join("\n");
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [text(), text()];
      expect(sides(before, after)).toMatchObject({ before, after });
    }
  });

  it("finds the smallest change when a block is moved", () => {
    expect(sides("1\n2\n3\n4\n5", "2\n3\n4\n5\n1").changed).toBe(2);
  });

  it("stays quick on texts that have nothing in common", () => {
    const block = (mark: string) => Array.from({ length: 3000 }, (_, index) => `${mark}${index}`).join("\n");
    expect(sides(block("a"), block("b")).changed).toBe(6000);
  });
});
