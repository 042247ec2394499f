import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { IconName } from "../ui/icons";

/** Something the palette can do. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  readonly group: string;
  readonly keys?: string;
  readonly run: () => void;
}

export const commands = signal<readonly Command[]>([]);

/** Offer `list` in the palette while the component is on the page. */
export function useCommands(list: readonly Command[]): void {
  const latest = useRef(list);
  latest.current = list;
  const identity = list.map((command) => `${command.id}\t${command.label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the identity stands for the list; `latest` runs the newest closure
  useEffect(() => {
    const own = list.map((command, index) => ({ ...command, run: () => latest.current[index]?.run() }));
    commands.value = [...commands.value, ...own];
    return () => {
      commands.value = commands.value.filter((command) => !own.includes(command));
    };
  }, [identity]);
}

/** The commands whose label has the letters of `text` in order; whole words and beginnings first. */
export function matchCommands(all: readonly Command[], text: string): readonly Command[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return all;
  const ranked = all.map((command) => ({ command, rank: matchRank(command.label.toLowerCase(), wanted) }));
  return ranked
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ command }) => command);
}

function matchRank(label: string, wanted: string): number {
  if (label.startsWith(wanted)) return 4;
  if (label.split(" ").some((word) => word.startsWith(wanted))) return 3;
  if (label.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = label.indexOf(letter, at) + 1;
    if (at === 0) return 0;
  }
  return 1;
}
