import type { components } from "../../api/schema";
import type { BarPart, Choice } from "../../ui";

export type TraceRow = components["schemas"]["TraceRow"];
export type FullTrace = components["schemas"]["FullTraceRow"];
export type Threshold = components["schemas"]["ThresholdRow"];
export type Kind = "retrieval" | "gate" | "discovery" | "plan" | "capability" | "prediction" | "speculation";

const KINDS: Readonly<Record<Kind, string>> = {
  gate: "Memories for prompts",
  retrieval: "Searches",
  discovery: "Tools found",
  plan: "Plans",
  capability: "Learned code",
  prediction: "Next tools",
  speculation: "Calls ahead",
};

export function kindName(kind: string): string {
  return KINDS[kind as Kind] ?? kind;
}

export function asKind(text: string): Kind | undefined {
  return text in KINDS ? (text as Kind) : undefined;
}

export const KIND_CHOICES: readonly Choice[] = Object.entries(KINDS).map(([value, label]) => ({
  value,
  label,
}));

/** One decision: its best candidate, and how many others it had. */
export interface ScoringRow {
  readonly best: TraceRow;
  readonly candidates: number;
}

/** Traces by their scoring, in the order they come; the candidate with the highest score stands for it. */
export function scorings(traces: readonly TraceRow[]): ScoringRow[] {
  const groups = new Map<string, TraceRow[]>();
  for (const trace of traces) groups.set(trace.scoring, [...(groups.get(trace.scoring) ?? []), trace]);
  return [...groups.values()].map((group) => ({
    best: group.reduce((best, trace) => (trace.score > best.score ? trace : best)),
    candidates: group.length,
  }));
}

/**
 * What each signal adds to the score of a candidate, by the weight that the decision gave it; a signal without a weight
 * of its own counts as it is. What is absent or nothing is left out, and so is the scale, which multiplies the sum.
 */
export function signalParts(trace: FullTrace, params: Readonly<Record<string, number>>): BarPart[] {
  const weight = (name: string) => params[`weight.${name}`] ?? params[`about.${name}`] ?? 1;
  return Object.entries(trace.signals)
    .filter((entry): entry is [string, number] => typeof entry[1] === "number" && entry[0] !== "scale")
    .map(([label, value]) => ({ label, value: value * weight(label) }))
    .filter((part) => part.value !== 0)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

const USEFUL = new Set(["selected", "succeeded"]);
const BINS = 20;

export interface Histogram {
  readonly from: readonly number[];
  readonly all: readonly number[];
  readonly useful: readonly number[];
}

/** How many traces have a score in each of twenty steps from the lowest to the highest. */
export function histogram(traces: readonly TraceRow[]): Histogram {
  const scores = traces.map((trace) => trace.score);
  const low = Math.min(0, ...scores);
  const step = (Math.max(1, ...scores) - low) / BINS;
  const from = Array.from({ length: BINS }, (_, index) => low + index * step);
  const count = (rows: readonly TraceRow[]) => {
    const counts = new Array<number>(BINS).fill(0);
    for (const { score } of rows) {
      const bin = Math.min(BINS - 1, Math.floor((score - low) / step));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    return counts;
  };
  return {
    from,
    all: count(traces),
    useful: count(traces.filter((trace) => USEFUL.has(trace.outcome ?? ""))),
  };
}

/** A threshold as it moved: the value after each move, at its time in seconds; a lone start is one point. */
export function course(threshold: Threshold, now = Date.now()): { x: number[]; values: number[] } {
  const moves = threshold.history;
  const [first] = moves;
  if (!first) return { x: [now / 1000], values: [threshold.value] };
  return {
    x: [...moves.map((move) => Date.parse(move.at) / 1000), now / 1000],
    values: [...moves.map((move) => move.after), threshold.value],
  };
}
