const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000 * 365, "y"],
  [86_400_000 * 30, "mo"],
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** "now", "5 min ago", "in 2 h": the largest unit that fits. */
export function relativeTime(at: number, now: number): string {
  const gap = Math.abs(now - at);
  const unit = UNITS.find(([size]) => gap >= size);
  if (!unit) return "just now";
  const text = `${Math.floor(gap / unit[0])} ${unit[1]}`;
  return at <= now ? `${text} ago` : `in ${text}`;
}

export function absoluteTime(moment: Date): string {
  return moment.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** "340 ms", "2.4 s", "3 min 20 s". */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "1,204", "38.2 k", "1.3 M". */
export function compact(count: number): string {
  if (Math.abs(count) < 10_000) return count.toLocaleString("en");
  const [size, unit] = Math.abs(count) < 1_000_000 ? [1000, "k"] : [1_000_000, "M"];
  return `${(count / size).toFixed(1)} ${unit}`;
}
