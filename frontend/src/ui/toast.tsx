import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useShortcuts } from "../app/keyboard";
import { Button, IconButton } from "./controls";
import "./toast.css";

export interface ToastText {
  readonly text: string;
  readonly tone?: "neutral" | "good" | "bad";
  /** Takes back what was done; the toast then offers Undo, also by the key u. */
  readonly undo?: () => Promise<unknown>;
}

interface ShownToast extends ToastText {
  readonly id: number;
}

const SHOWN_MS = 8000; // long enough to read a sentence and reach Undo
const MOST = 3;
let counter = 0;

export const toasts = signal<readonly ShownToast[]>([]);

/** Say what happened, for a while. */
export function toast(shown: ToastText): void {
  counter += 1;
  toasts.value = [...toasts.value, { ...shown, id: counter }].slice(-MOST);
}

/** Say why something did not work. */
export function toastError(failure: unknown): void {
  toast({ text: failure instanceof Error ? failure.message : String(failure), tone: "bad" });
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
}

export async function undo(shown: ShownToast): Promise<void> {
  dismiss(shown.id);
  try {
    await shown.undo?.();
    toast({ text: "Undone.", tone: "good" });
  } catch (failure) {
    toastError(failure);
  }
}

export function Toasts() {
  const newest = toasts.value.findLast((shown) => shown.undo);
  useShortcuts(
    newest
      ? [{ keys: "u", label: "Undo the last change", group: "Everywhere", run: () => void undo(newest) }]
      : [],
  );
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((shown) => (
        <ToastCard key={shown.id} shown={shown} />
      ))}
    </div>
  );
}

function ToastCard({ shown }: { shown: ShownToast }) {
  useEffect(() => {
    const timer = window.setTimeout(() => dismiss(shown.id), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [shown.id]);
  return (
    <div class="toast" data-tone={shown.tone ?? "neutral"}>
      <span class="grow">{shown.text}</span>
      {shown.undo && (
        <Button size="small" icon="undo" keys="u" onClick={() => void undo(shown)}>
          Undo
        </Button>
      )}
      <IconButton size="small" icon="close" label="Dismiss" onClick={() => dismiss(shown.id)} />
    </div>
  );
}
