import type { Values } from "./edit-state";
import type { RecordDocument } from "./types";

/** An edit that is not saved yet, with the version it started from. It outlives a reload of the tab. */
export interface UnsavedEdit {
  readonly version: string;
  readonly document: RecordDocument;
  readonly values: Values;
}

const name = (id: string) => `recollect:edit:${id}`;

export function loadEdit(id: string): UnsavedEdit | null {
  try {
    const text = sessionStorage.getItem(name(id));
    return text ? (JSON.parse(text) as UnsavedEdit) : null;
  } catch {
    return null;
  }
}

export function storeEdit(id: string, edit: UnsavedEdit): void {
  try {
    sessionStorage.setItem(name(id), JSON.stringify(edit));
  } catch {
    // a full or forbidden store: the edit lives as long as the page
  }
}

export function dropEdit(id: string): void {
  sessionStorage.removeItem(name(id));
}
