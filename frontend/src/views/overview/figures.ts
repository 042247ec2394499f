import type { components } from "../../api/schema";

type Schemas = components["schemas"];

const DAY = 86_400;

/** A day such as 2026-11-16 as Unix seconds of its start, in UTC. */
export function daySeconds(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}

export interface Line {
  readonly x: readonly number[];
  readonly values: readonly number[];
}

/** The number of memories on each day from the first one to `today`: days without a new one repeat the last number. */
export function growthLine(rows: readonly Schemas["GrowthRow"][], today: string): Line {
  const first = rows[0];
  if (!first) return { x: [], values: [] };
  const byDay = new Map(rows.map((row) => [daySeconds(row.day), row.memories]));
  const last = Math.max(daySeconds(today), daySeconds(rows.at(-1)?.day ?? today));
  const x: number[] = [];
  const values: number[] = [];
  let count = 0;
  for (let day = daySeconds(first.day); day <= last; day += DAY) {
    count = byDay.get(day) ?? count;
    x.push(day);
    values.push(count);
  }
  return { x, values };
}

/** "61%"; a dash where nothing happened. */
export function percent(part: number | null): string {
  return part === null ? "–" : `${Math.round(part * 100)}%`;
}

export function share(part: number, all: number): number | null {
  return all > 0 ? part / all : null;
}

/** How many memories came in the last `days` days. */
export function newSince(rows: readonly Schemas["GrowthRow"][], today: string, days: number): number {
  const start = daySeconds(today) - days * DAY;
  const before = rows.findLast((row) => daySeconds(row.day) <= start)?.memories ?? 0;
  return (rows.at(-1)?.memories ?? 0) - before;
}

/** The row of the door that a prompt waits for. */
export function promptLatency(rows: readonly Schemas["LatencyRow"][]): Schemas["LatencyRow"] | undefined {
  return rows.find((row) => row.door === "hook prompt") ?? rows[0];
}

const PLACES: Readonly<Record<string, string>> = {
  drafts: "/review",
  unused: "/review",
  runs: "/runs",
  tools: "/tools",
};

/** Where something that waits is decided; undefined where the page cannot. */
export function placeOf(kind: string): string | undefined {
  return PLACES[kind];
}

/** "hook prompt" as a person reads it: the first capital, no underscores. */
export function doorName(door: string): string {
  const words = door.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
