import type { components } from "../../api/schema";
import { duration } from "../../ui/time";

export type Timeline = components["schemas"]["RunTimelineOutput"];
export type TimelineTask = components["schemas"]["TimelineTask"];
export type TimelineSpan = components["schemas"]["TimelineSpan"];

export const KIND_NAMES: Readonly<Record<string, string>> = {
  queued: "queued",
  approval: "waiting for a person",
  running: "running",
  calls: "waiting for its calls",
  retry: "waiting to retry",
  doubt: "in doubt",
};

/** Where a moment is drawn, as a share of the width from 0 to 1. */
export type Scale = (milliseconds: number) => number;

const IDLE_SHARE = 0.05; // how wide a stretch without a call is drawn, of the time with calls
const BUSY: ReadonlySet<string> = new Set(["running", "retry"]);

export function realScale(timeline: Timeline): Scale {
  const total = Math.max(1, timeline.milliseconds);
  return (moment) => clamp(moment / total);
}

/** A scale on which stretches without a call are short: a person may think for an hour about a call of 5 ms. */
export function workingScale(timeline: Timeline): Scale {
  const spans = timeline.tasks.flatMap((task) => task.spans).filter((span) => BUSY.has(span.kind));
  const stretches = merged(spans);
  const busy = stretches.reduce((sum, [start, end]) => sum + end - start, 0);
  const idle = Math.max(1, busy * IDLE_SHARE);
  const points = [{ at: 0, drawn: 0 }];
  let drawn = 0;
  let last = 0;
  const add = (at: number, length: number) => {
    drawn += length;
    points.push({ at, drawn });
  };
  for (const [start, end] of [...stretches, [timeline.milliseconds, timeline.milliseconds] as const]) {
    if (start > last) add(start, Math.min(idle, start - last));
    if (end > start) add(end, end - start);
    last = Math.max(last, end);
  }
  const total = Math.max(1, drawn);
  return (moment) => clamp(interpolated(points, moment) / total);
}

function merged(spans: readonly TimelineSpan[]): (readonly [number, number])[] {
  const stretches: [number, number][] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const open = stretches.at(-1);
    if (open && span.start <= open[1]) open[1] = Math.max(open[1], span.end);
    else stretches.push([span.start, span.end]);
  }
  return stretches;
}

function interpolated(points: readonly { at: number; drawn: number }[], moment: number): number {
  const next = points.findIndex((point) => point.at >= moment);
  const after = points[next];
  if (!after) return points.at(-1)?.drawn ?? 0;
  const before = points[next - 1];
  if (!before || after.at === before.at) return after.drawn;
  return before.drawn + ((moment - before.at) / (after.at - before.at)) * (after.drawn - before.drawn);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

const STEPS: readonly (readonly [unit: string, size: number, counts: readonly number[]])[] = [
  ["ms", 1, [1, 2, 5, 10, 20, 50, 100, 200, 500]],
  ["s", 1000, [1, 2, 5, 10, 15, 30]],
  ["min", 60_000, [1, 2, 5, 10, 15, 30]],
  ["h", 3_600_000, [1, 2, 3, 6, 12]],
  ["d", 86_400_000, [1, 2, 5, 10, 20, 50, 100, 200, 500]],
];

export interface Tick {
  readonly moment: number;
  readonly text: string;
}

/** Round moments after the start for an axis of `total` milliseconds, at most `most` of them, in one unit. */
export function ticks(total: number, most = 6): readonly Tick[] {
  for (const [unit, size, counts] of STEPS) {
    const count = counts.find((count) => count * size >= total / most);
    if (count)
      return Array.from({ length: Math.floor(total / (count * size)) }, (_, index) => ({
        moment: (index + 1) * count * size,
        text: `${(index + 1) * count} ${unit}`,
      }));
  }
  return [];
}

/** What a row of the timeline says to those who do not see it. */
export function rowText(task: TimelineTask, isCritical: boolean): string {
  const spans = task.spans.map((span) => `${KIND_NAMES[span.kind]} ${duration(span.end - span.start)}`);
  const path = isCritical ? ", on the critical path" : "";
  return `${task.id}: ${task.status.replaceAll("_", " ")}${path}. ${spans.join(", ") || "not started"}`;
}

/** The critical path in a sentence. */
export function pathText(timeline: Timeline): string {
  const times = Object.entries(timeline.path_milliseconds)
    .filter(([, total]) => total >= 0.5)
    .map(([kind, total]) => `${KIND_NAMES[kind]} ${duration(total)}`);
  return times.join(", ");
}
