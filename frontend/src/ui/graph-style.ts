import type { StylesheetJson } from "cytoscape";
import { SERIES_TONES, type Tone } from "./display";
import { cssColour, toneColour } from "./tones";

const TONES: readonly Tone[] = [...new Set<Tone>([...SERIES_TONES, "neutral", "good", "warn", "bad"])];

/** How nodes and links look in the theme that is shown. */
export function graphStyle(): StylesheetJson {
  const text = cssColour("--text");
  const surface = cssColour("--surface");
  return [
    {
      selector: "node",
      style: {
        label: "data(label)",
        shape: "data(shape)" as "ellipse",
        width: "data(width)",
        height: "data(height)",
        color: text,
        "font-size": "data(font)" as unknown as number,
        "font-family": "system-ui, sans-serif",
        "text-valign": "bottom",
        "text-margin-y": 5,
        "text-max-width": "data(labelWidth)",
        "text-wrap": "wrap",
        "line-height": 1.15,
        "min-zoomed-font-size": 7,
        "text-background-color": surface,
        "text-background-opacity": 0.75,
        "text-background-padding": "2px",
        "border-width": 2,
      },
    },
    { selector: "node.crowd", style: { "min-zoomed-font-size": 9 } },
    {
      selector: "edge",
      style: {
        width: 1.5,
        "curve-style": "bezier",
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.8,
        opacity: 0.75,
        label: "data(label)",
        color: cssColour("--text-2"),
        "font-size": 10,
        "min-zoomed-font-size": 8,
        "text-background-color": surface,
        "text-background-opacity": 0.85,
        "text-background-padding": "1px",
      },
    },
    // Straight lines without texts are drawn several times faster.
    { selector: "edge.crowd", style: { "curve-style": "straight", label: "" } },
    { selector: "edge.crowd.strong", style: { label: "data(label)" } },
    ...TONES.flatMap(toneStyle),
    {
      selector: ":parent",
      style: {
        "background-opacity": 0.35,
        "text-valign": "top",
        "text-margin-y": -4,
        "font-size": 12,
        "font-weight": 600,
        shape: "round-rectangle",
        padding: "16px",
      },
    },
    {
      selector: "node.box",
      style: {
        "text-valign": "center",
        "text-margin-y": 0,
        "text-max-width": "180px",
        "text-wrap": "ellipsis",
        "text-background-opacity": 0,
        "font-size": 12,
        "border-width": 1.5,
      },
    },
    { selector: "edge.dashed", style: { "line-style": "dashed" } },
    { selector: "edge.plain", style: { "target-arrow-shape": "none" } },
    { selector: ".hidden", style: { visibility: "hidden" } },
    { selector: ".faded", style: { opacity: 0.45 } },
    { selector: ".dim", style: { opacity: 0.16 } },
    { selector: "edge.strong", style: { width: 3, opacity: 1, "z-index": 9 } },
    { selector: "node.strong", style: { "border-width": 3, "z-index": 9 } },
    {
      selector: "node:selected",
      style: {
        "border-width": 3,
        "border-color": text,
        "underlay-color": cssColour("--accent"),
        "underlay-opacity": 0.3,
        "underlay-padding": 7,
      },
    },
  ];
}

function toneStyle(tone: Tone): StylesheetJson {
  const colour = toneColour(tone);
  return [
    { selector: `node[tone = "${tone}"]`, style: { "background-color": colour, "border-color": colour } },
    {
      selector: `node.box[tone = "${tone}"], node:parent[tone = "${tone}"]`,
      style: { "background-color": toneColour(tone, true) },
    },
    { selector: `edge[tone = "${tone}"]`, style: { "line-color": colour, "target-arrow-color": colour } },
  ];
}
