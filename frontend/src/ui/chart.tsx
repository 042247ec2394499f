import { useEffect, useRef, useState } from "preact/hooks";
import { theme } from "../app/theme";
import type { DrawnChart } from "./chart-canvas";
import { describeSeries } from "./chart-text";
import { SERIES_TONES, type Tone } from "./display";
import { Table } from "./lists";
import "./chart.css";

export interface ChartSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly kind?: "line" | "bars" | "area";
  readonly tone?: Tone;
  /** Drawn pale, behind a series that is a part of it. */
  readonly soft?: boolean;
  /** Drawn against the right axis: a rate beside a count. */
  readonly right?: boolean;
  readonly format?: (value: number) => string;
}

export interface ChartProps {
  readonly label: string;
  /** Unix seconds when `time`, else plain numbers, ascending. */
  readonly x: readonly number[];
  readonly time?: boolean;
  readonly xLabel?: string;
  readonly xFormat?: (value: number) => string;
  readonly series: readonly ChartSeries[];
  readonly height?: number;
}

/** A chart for the eye, a sentence for a screen reader, and the same data as a table for everyone. */
export function Chart({
  label,
  x,
  time = false,
  xLabel = time ? "Day" : "",
  xFormat,
  series,
  height = 180,
}: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState("");
  const shown = series.map((one, index) => ({
    ...one,
    tone: one.tone ?? SERIES_TONES[index % SERIES_TONES.length] ?? "accent",
  }));
  const name = xFormat ?? (time ? dayName : String);
  const key = JSON.stringify([x, shown, theme.value, height, time]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for everything that is drawn
  useEffect(() => {
    let drawn: DrawnChart | undefined;
    let gone = false;
    import("./chart-canvas").then(
      ({ drawChart }) => {
        if (!gone && frame.current)
          drawn = drawChart(frame.current, { x, time, series: shown, height, xFormat: name });
      },
      () => setFailure("The chart could not be loaded; its data is in the table."),
    );
    return () => {
      gone = true;
      drawn?.destroy();
    };
  }, [key]);

  const rows = x.map((value, index) => ({ value, index }));
  return (
    <figure class="chart">
      <div
        class="chart-canvas"
        ref={frame}
        role="img"
        aria-label={`${label}. ${shown.map(describeSeries).join(" ")}`}
        style={{ height: `${height}px` }}
      />
      {failure && <p class="faint">{failure}</p>}
      <figcaption class="chart-foot">
        <ul class="legend" aria-hidden="true">
          {shown.map((one) => (
            <li key={one.label}>
              <span class={one.soft ? "swatch soft" : "swatch"} data-tone={one.tone} />
              {one.label}
            </li>
          ))}
        </ul>
        <details class="chart-table">
          <summary>
            Table<span class="visually-hidden"> of {label}</span>
          </summary>
          <Table
            label={label}
            rows={rows}
            rowKey={(row) => String(row.index)}
            columns={[
              { key: "x", title: xLabel || "Value", render: (row) => name(row.value) },
              ...shown.map((one) => ({
                key: one.label,
                title: one.label,
                align: "end" as const,
                render: (row: { index: number }) => cellText(one, row.index),
              })),
            ]}
          />
        </details>
      </figcaption>
    </figure>
  );
}

function cellText(series: ChartSeries, index: number): string {
  const value = series.values[index];
  if (value === null || value === undefined) return "–";
  return series.format ? series.format(value) : value.toLocaleString("en", { maximumFractionDigits: 3 });
}

function dayName(seconds: number): string {
  return new Date(seconds * 1000).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}
