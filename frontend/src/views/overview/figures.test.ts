import { describe, expect, it } from "vitest";
import { daySeconds, doorName, growthLine, newSince, percent, share } from "./figures";

const rows = [
  { day: "2026-11-01", memories: 2 },
  { day: "2026-11-04", memories: 5 },
];

describe("growth", () => {
  it("repeats the last number on days without a new memory, up to today", () => {
    const line = growthLine(rows, "2026-11-05");
    expect(line.values).toEqual([2, 2, 2, 5, 5]);
    expect(line.x[0]).toBe(daySeconds("2026-11-01"));
  });

  it("ends with the last memory when the clock is behind it", () => {
    expect(growthLine(rows, "2026-11-02").values).toEqual([2, 2, 2, 5]);
  });

  it("is empty without memories", () => {
    expect(growthLine([], "2026-11-05")).toEqual({ x: [], values: [] });
    expect(newSince([], "2026-11-05", 7)).toBe(0);
  });

  it("counts what is new in the last days", () => {
    expect(newSince(rows, "2026-11-05", 2)).toBe(3);
    expect(newSince(rows, "2026-11-05", 30)).toBe(5);
  });
});

describe("texts", () => {
  it("shows a dash where nothing happened", () => {
    expect(percent(share(0, 0))).toBe("–");
    expect(percent(share(2, 3))).toBe("67%");
  });

  it("names doors for people", () => {
    expect(doorName("hook tool_after")).toBe("Hook tool after");
  });
});
