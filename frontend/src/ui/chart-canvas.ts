import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartSeries } from "./chart";
import type { Tone } from "./display";
import { cssColour, toneColour } from "./tones";

export interface DrawnChart {
  destroy: () => void;
}

interface Drawing {
  readonly x: readonly number[];
  readonly time: boolean;
  readonly series: readonly (ChartSeries & { readonly tone: Tone })[];
  readonly height: number;
  readonly xFormat: (value: number) => string;
}

const PALE = "59"; // alpha of a pale series, 35%
const DAYS = [1, 2, 3, 7, 14, 28, 56, 91, 182, 364].map((days) => days * 86_400); // between labels of a time axis
const WHOLE = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((power) => step * 10 ** power))
  .sort((a, b) => a - b);
const FONT = "11px system-ui, sans-serif";

export function drawChart(frame: HTMLElement, drawing: Drawing): DrawnChart {
  const plot = new uPlot(
    options(frame, drawing),
    [drawing.x.slice(), ...drawing.series.map((one) => one.values.slice())] as uPlot.AlignedData,
    frame,
  );
  const observer = new ResizeObserver(() => {
    if (frame.clientWidth > 0) plot.setSize({ width: frame.clientWidth, height: drawing.height });
  });
  observer.observe(frame);
  return {
    destroy: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}

function options(frame: HTMLElement, drawing: Drawing): uPlot.Options {
  const right = drawing.series.find((one) => one.right);
  const left = drawing.series.find((one) => !one.right);
  return {
    width: Math.max(80, frame.clientWidth),
    height: drawing.height,
    legend: { show: false },
    padding: [10, right ? 4 : 12, 0, 0],
    cursor: { y: false, points: { size: 7 } },
    plugins: [tooltip(drawing)],
    scales: {
      x: { time: drawing.time, range: (_plot, least, most) => padded(drawing, least, most) },
      y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.12 : 1] },
      right: { range: (_plot, _least, most) => [0, Math.max(1, most)] },
    },
    series: [{}, ...drawing.series.map(seriesOptions)],
    axes: [
      axis({
        values: (_plot, ticks) => ticks.map(drawing.xFormat),
        ...(drawing.time ? { incrs: DAYS } : {}),
        space: 64,
        size: 26,
        grid: { show: false },
      }),
      axis({ scale: "y", size: 46, ...valueLabels(left), ...(isCount(drawing) ? { incrs: WHOLE } : {}) }),
      ...(right
        ? [axis({ scale: "right", side: 1 as const, size: 46, grid: { show: false }, ...valueLabels(right) })]
        : []),
    ],
  };
}

/** Bars at the ends need half a step of room, and one lone point needs a range. */
function padded(drawing: Drawing, least: number, most: number): [number, number] {
  const step = drawing.x.length > 1 ? (most - least) / (drawing.x.length - 1) : drawing.time ? 86_400 : 1;
  const bars = drawing.series.some((one) => one.kind === "bars");
  return bars || most === least ? [least - step * 0.6, most + step * 0.6] : [least, most];
}

function seriesOptions(one: ChartSeries & { readonly tone: Tone }): uPlot.Series {
  const colour = one.soft ? `${toneColour(one.tone)}${PALE}` : toneColour(one.tone);
  const bars = one.kind === "bars" ? uPlot.paths.bars?.({ size: [0.62, 28], radius: 0.2 }) : undefined;
  return {
    label: one.label,
    scale: one.right ? "right" : "y",
    stroke: colour,
    width: one.kind === "bars" ? 0 : 2,
    points: { show: one.kind !== "bars" && one.values.length < 2 },
    ...(one.kind === "bars" ? { fill: colour } : {}),
    ...(one.kind === "area" ? { fill: toneColour(one.tone, true) } : {}),
    ...(bars ? { paths: bars } : {}),
  };
}

/** Whether the left axis counts things, so that half of one makes no sense. */
function isCount(drawing: Drawing): boolean {
  return drawing.series.every(
    (one) => one.right || one.values.every((value) => value === null || Number.isInteger(value)),
  );
}

function axis(own: Partial<uPlot.Axis>): uPlot.Axis {
  return {
    stroke: cssColour("--text-3"),
    font: FONT,
    ticks: { show: false },
    gap: 6,
    ...own,
    grid: { stroke: cssColour("--line"), width: 1, ...own.grid },
  };
}

function valueLabels(series: ChartSeries | undefined): Partial<uPlot.Axis> {
  const format = series?.format;
  return format ? { values: (_plot, ticks) => ticks.map(format) } : {};
}

/** The values under the pointer, in a box that stays inside the chart. */
function tooltip(drawing: Drawing): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = "chart-tip";
  box.hidden = true;
  const update = (plot: uPlot) => {
    const index = plot.cursor.idx;
    box.hidden = index === null || index === undefined || (plot.cursor.left ?? -1) < 0;
    if (box.hidden || index === null || index === undefined) return;
    box.replaceChildren(
      line(drawing.xFormat(drawing.x[index] ?? 0)),
      ...drawing.series.map((one) => line(valueText(one, index))),
    );
    const left = plot.cursor.left ?? 0;
    box.style.transform = `translateX(${left > plot.over.clientWidth / 2 ? left - box.offsetWidth - 10 : left + 10}px)`;
  };
  return { hooks: { init: (plot) => plot.over.appendChild(box), setCursor: update } };
}

function valueText(series: ChartSeries, index: number): string {
  const value = series.values[index];
  if (value === null || value === undefined) return `${series.label}: –`;
  return `${series.label}: ${series.format ? series.format(value) : value.toLocaleString("en", { maximumFractionDigits: 2 })}`;
}

function line(text: string): HTMLElement {
  const element = document.createElement("div");
  element.textContent = text;
  return element;
}
