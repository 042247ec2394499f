import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button, IconButton } from "./controls";
import "./dialog.css";

/** A modal dialog of the browser: it holds the focus, Escape and a click beside it close it, and focus returns. */
export function Dialog({
  title,
  open,
  onClose,
  footer,
  children,
  size = "normal",
  bare,
}: {
  title: string;
  open: boolean;
  onClose: () => void;
  footer?: ComponentChildren;
  children: ComponentChildren;
  size?: "small" | "normal" | "large";
  /** Without the title bar; the title is still read aloud. */
  bare?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    if (open && dialog && !dialog.open) dialog.showModal();
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={element}
      class={`dialog ${size}`}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="dialog-frame">
        <header class={bare ? "visually-hidden" : "dialog-head"}>
          <h2 id={id}>{title}</h2>
          {!bare && <IconButton icon="close" label="Close" onClick={onClose} />}
        </header>
        <div class={bare ? "" : "dialog-body"}>{children}</div>
        {footer && <footer class="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  );
}

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly action: string;
  readonly danger?: boolean;
}

const question = signal<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Ask once before an act that cannot be undone. */
export function confirm(asked: Question): Promise<boolean> {
  question.value?.answer(false);
  return new Promise((resolve) => {
    question.value = {
      ...asked,
      answer: (yes) => {
        question.value = null;
        resolve(yes);
      },
    };
  });
}

export function ConfirmDialog() {
  const open = question.value;
  if (!open) return null;
  return (
    <Dialog
      title={open.title}
      open
      size="small"
      onClose={() => open.answer(false)}
      footer={
        <>
          <Button onClick={() => open.answer(false)}>Cancel</Button>
          <Button variant={open.danger ? "danger" : "primary"} onClick={() => open.answer(true)}>
            {open.action}
          </Button>
        </>
      }
    >
      <div class="muted">{open.text}</div>
    </Dialog>
  );
}
