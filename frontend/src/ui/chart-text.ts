import type { ChartSeries } from "./chart";

/** One sentence about a series: its latest value, and its range. */
export function describeSeries(series: ChartSeries): string {
  const values = series.values.filter((value): value is number => value !== null);
  const last = values.at(-1);
  if (last === undefined) return `${series.label}: no values.`;
  const text = series.format ?? ((value: number) => value.toLocaleString("en", { maximumFractionDigits: 2 }));
  const least = values.reduce((low, value) => Math.min(low, value), last);
  const most = values.reduce((high, value) => Math.max(high, value), last);
  return `${series.label}: latest ${text(last)}, between ${text(least)} and ${text(most)}.`;
}
