import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** One key or sequence and what it does. `keys` is "j", "?", "mod+k" (Ctrl or Cmd), "Escape" or "g m". */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  readonly group: string;
  readonly run: () => void;
  /** Also when the focus is in a text field. */
  readonly whileTyping?: boolean;
}

const SEQUENCE_MS = 1200; // how long `g` waits for its second key

export const shortcuts = signal<readonly Shortcut[]>([]);
let prefix = "";
let prefixTimer = 0;

/** Register `list` while the component is on the page. The newest registration of a key wins. */
export function useShortcuts(list: readonly Shortcut[]): void {
  const latest = useRef(list);
  latest.current = list;
  const identity = list.map((shortcut) => `${shortcut.keys}\t${shortcut.label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the identity stands for the list; `latest` runs the newest closure
  useEffect(() => {
    const own = list.map((shortcut, index) => ({ ...shortcut, run: () => latest.current[index]?.run() }));
    shortcuts.value = [...shortcuts.value, ...own];
    return () => {
      shortcuts.value = shortcuts.value.filter((shortcut) => !own.includes(shortcut));
    };
  }, [identity]);
}

/** The name of a pressed key, as `Shortcut.keys` writes it. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return `mod+${key}`;
  return event.altKey ? `alt+${key}` : key;
}

export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = keyName(event);
  const typing = isTyping(event.target);
  if (document.querySelector("dialog[open]") && name !== "mod+k") return;
  const sequence = prefix && !typing ? `${prefix} ${name}` : name;
  const match = matching(sequence, typing) ?? matching(name, typing);
  resetPrefix();
  if (match) {
    event.preventDefault();
    match.run();
  } else if (!typing && shortcuts.value.some((shortcut) => shortcut.keys.startsWith(`${name} `))) {
    prefix = name;
    prefixTimer = window.setTimeout(resetPrefix, SEQUENCE_MS);
  }
}

function matching(keys: string, typing: boolean): Shortcut | undefined {
  return shortcuts.value.findLast((shortcut) => shortcut.keys === keys && (!typing || shortcut.whileTyping));
}

function resetPrefix(): void {
  window.clearTimeout(prefixTimer);
  prefix = "";
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return (
    target instanceof HTMLInputElement && !["checkbox", "radio", "range", "button"].includes(target.type)
  );
}
