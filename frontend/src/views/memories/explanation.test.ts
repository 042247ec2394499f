import { expect, test } from "vitest";
import { scoreParts } from "./explanation";

test("the parts of a score sum up to it", () => {
  const channels = [
    { channel: "unheard", share: 0.1 },
    { channel: "vector", share: 0.4 },
    { channel: "lexical", share: 0.9 },
  ];
  const fused = (1.4 * 1.1) / 2;
  const score = fused * (1 - 0.2) * (1 + 0.15) * (1 + 0.05);
  const parts = scoreParts({
    score,
    fused,
    channels,
    convergence: 0.1,
    scale: 2,
    boost: { total: 0.15 },
    authority: 0.05,
    faded: 0.2,
  });
  expect(parts.reduce((sum, part) => sum + part.value, 0)).toBeCloseTo(score, 10);
  expect(parts.slice(0, 3).map((part) => part.label)).toEqual(["Words", "Meaning", "unheard"]);
});

test("what a reranker changed is a part of the score", () => {
  const parts = scoreParts({
    score: 0.7,
    fused: 0.5,
    channels: [{ channel: "lexical", share: 1 }],
    convergence: 0,
    scale: 2,
    boost: { total: 0 },
    authority: 0,
    faded: 0,
    reranked: { raw: 3.1, scaled: 1 },
  });
  expect(parts.at(-1)?.label).toBe("Reranker");
  expect(parts.reduce((sum, part) => sum + part.value, 0)).toBeCloseTo(0.7, 10);
});
