import type { components } from "../../api/schema";
import type { Choice, Tone } from "../../ui";
import { relativeTime } from "../../ui/time";

export type SessionPage = components["schemas"]["SessionPageOutput"];
export type SessionRow = components["schemas"]["SessionRow"];
export type InjectionRow = components["schemas"]["InjectionRow"];

/** The sessions to choose from: the last one is followed, the others are named. */
export function sessionChoices(sessions: readonly SessionRow[], id: string, now = Date.now()): Choice[] {
  const named = sessions.map((session) => ({
    value: session.id,
    label: [relativeTime(Date.parse(session.seen_at), now), session.harness, session.goal.slice(0, 60)]
      .filter(Boolean)
      .join(" · "),
  }));
  const unknown = id && !sessions.some((session) => session.id === id) ? [{ value: id, label: id }] : [];
  return [{ value: "", label: "The last session, live" }, ...named, ...unknown];
}

const EVENT_TONES: Readonly<Record<string, Tone>> = {
  error: "bad",
  fixed: "good",
  commit: "accent",
  edit: "decision",
  command: "runbook",
};

export function eventTone(kind: string): Tone {
  return EVENT_TONES[kind] ?? "neutral";
}

const SIGNAL_NAMES: Readonly<Record<string, string>> = {
  coverage: "words of the prompt that it has",
  together: "words that occur together",
  phrase: "adjacent words",
  telling: "rare words",
  everyday: "everyday words in the prompt",
  named: "a file that the prompt names",
  ahead: "ahead of the other hits",
  cosine: "closeness of meaning",
  length: "length of the prompt",
  touched: "a file that a tool touched",
};

/** The signals of a decision with words for a person, the strongest first; those that are absent are left out. */
export function signalRows(
  signals: Readonly<Record<string, number | null>>,
): { name: string; value: number }[] {
  return Object.entries(signals)
    .filter((entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] !== 0)
    .map(([name, value]) => ({ name: SIGNAL_NAMES[name] ?? name, value }))
    .sort((a, b) => b.value - a.value);
}
