import { expect, it } from "vitest";
import { eventTone, sessionChoices, signalRows } from "./model";

const session = {
  id: "abc",
  harness: "claude-code",
  started_at: "2026-11-16T10:00:00Z",
  seen_at: "2026-11-16T11:00:00Z",
  goal: "make it faster",
  items: 1,
  extracted: 1,
  redacted: 0,
};

it("offers the last session, each session, and one that is no longer listed", () => {
  const choices = sessionChoices([session], "gone", Date.parse("2026-11-16T11:05:00Z"));
  expect(choices.map((choice) => choice.value)).toEqual(["", "abc", "gone"]);
  expect(choices[1]?.label).toContain("claude-code · make it faster");
});

it("names signals, drops absent ones and sorts by strength", () => {
  expect(signalRows({ coverage: 0.2, cosine: null, telling: 0.9, named: 0, other: 0.1 })).toEqual([
    { name: "rare words", value: 0.9 },
    { name: "words of the prompt that it has", value: 0.2 },
    { name: "other", value: 0.1 },
  ]);
});

it("has a colour for every kind of event", () => {
  expect([eventTone("error"), eventTone("fixed"), eventTone("faded")]).toEqual(["bad", "good", "neutral"]);
});
