import type { Tone } from "./display";

const NAMES: Readonly<Record<string, string>> = { neutral: "--text-3" };

/** The colour of a tone in the theme that is shown, for canvases, which know no custom properties. */
export function toneColour(tone: Tone, soft = false): string {
  const name = NAMES[tone] ?? `--${tone}`;
  return cssColour(soft ? (tone === "neutral" ? "--sunken" : `${name}-soft`) : name);
}

export function cssColour(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}
