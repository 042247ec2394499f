import { describe, expect, it } from "vitest";
import css from "./tokens.css?raw";

function palette(theme: "light" | "dark"): Map<string, string> {
  const block = css.match(new RegExp(`:root\\[data-theme="${theme}"\\] \\{([^}]*)\\}`))?.[1] ?? "";
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
}

/** WCAG 2.2: relative luminance, and the ratio of the lighter to the darker. */
function contrast(first: string, second: string): number {
  const [high = 0, low = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const TONES = ["accent", "good", "warn", "bad", "decision", "constraint", "preference", "runbook", "debt"];

describe.each(["light", "dark"] as const)("the %s theme", (theme) => {
  const colours = palette(theme);
  const of = (name: string) => colours.get(name) ?? "";

  it("has every colour of the other theme", () => {
    expect([...colours.keys()]).toEqual([...palette(theme === "light" ? "dark" : "light").keys()]);
    expect(colours.size).toBeGreaterThan(25);
  });

  it.each(["text", "text-2", "text-3"])("%s is readable on every surface (AA, 4.5)", (text) => {
    for (const surface of ["bg", "surface", "sunken", "hover", "accent-soft"]) {
      if (text === "text-3" && surface === "accent-soft") continue; // faint text is never on a selection
      expect(contrast(of(text), of(surface)), `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(TONES)("%s is readable on its soft ground and on surfaces", (tone) => {
    for (const surface of ["bg", "surface", `${tone}-soft`]) {
      expect(contrast(of(tone), of(surface)), `${tone} on ${surface}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("has readable buttons and visible borders of fields", () => {
    expect(contrast(of("on-accent"), of("accent"))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(of("line-strong"), of("surface"))).toBeGreaterThanOrEqual(3);
  });
});
