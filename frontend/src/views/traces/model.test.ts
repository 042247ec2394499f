import { expect, it } from "vitest";
import { asKind, course, histogram, kindName, scorings, signalParts, type TraceRow } from "./model";

const trace = (scoring: string, score: number, outcome: string | null = null): TraceRow => ({
  scoring,
  at: "2026-11-16T10:00:00Z",
  kind: "gate",
  context: "d",
  session: "",
  candidate: `mem:${score}`,
  score,
  threshold: 0.4,
  decision: "accepted",
  outcome,
  milliseconds: 2,
});

it("shows each scoring once, by its best candidate", () => {
  const rows = scorings([trace("a", 0.1), trace("a", 0.9), trace("b", 0.3)]);
  expect(rows.map((row) => [row.best.score, row.candidates])).toEqual([
    [0.9, 2],
    [0.3, 1],
  ]);
});

it("counts scores in steps, the highest in the last one, whatever their range is", () => {
  const { from, all, useful } = histogram([
    trace("a", 0),
    trace("b", 1, "selected"),
    trace("c", 1, "ignored"),
  ]);
  expect([from.length, all[0], all[19], useful[19]]).toEqual([20, 1, 2, 1]);
  expect(histogram([trace("a", -2), trace("b", 6)]).all.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(histogram([]).all).toHaveLength(20);
});

it("weighs signals, and leaves out those that are absent and the scale", () => {
  const full = {
    ...trace("a", 1),
    signals: { words: 0.2, cosine: null, named: 0, telling: -0.5, scale: 0.8 },
  };
  expect(signalParts(full, { "weight.words": 4 })).toEqual([
    { label: "words", value: 0.8 },
    { label: "telling", value: -0.5 },
  ]);
});

it("draws a threshold that never moved as one point", () => {
  const threshold = {
    kind: "speculation",
    value: 0.6,
    start: 0.6,
    lowest: 0.3,
    highest: 0.9,
    executions: 0,
    success: null,
    history: [],
  };
  expect(course(threshold, 5000)).toEqual({ x: [5], values: [0.6] });
  const move = { at: "1970-01-01T00:00:01Z", before: 0.6, after: 0.7, success: 0.8 };
  expect(course({ ...threshold, value: 0.7, history: [move] }, 5000)).toEqual({
    x: [1, 5],
    values: [0.7, 0.7],
  });
});

it("knows its kinds", () => {
  expect([asKind("gate"), asKind("other"), kindName("other")]).toEqual(["gate", undefined, "other"]);
});
