import { answer, client } from "../../api/client";
import { toast, toastError } from "../../ui";
import type { LinkType } from "./types";

const params = (id: string) => ({ path: { id }, header: { "X-Recollect": "1" as const } });

function setStatus(id: string, status: "active" | "retired", reason = "") {
  return answer(client.POST("/api/memories/{id}/status", { params: params(id), body: { status, reason } }));
}

export async function retire(id: string, reason: string): Promise<void> {
  try {
    await setStatus(id, "retired", reason);
    toast({ text: "Retired: it is no longer added to prompts.", undo: () => setStatus(id, "active") });
  } catch (failure) {
    toastError(failure);
  }
}

export async function restore(id: string): Promise<void> {
  try {
    await setStatus(id, "active");
    toast({ text: "Restored.", tone: "good", undo: () => setStatus(id, "retired", "Undone on the page") });
  } catch (failure) {
    toastError(failure);
  }
}

export interface LinkChoice {
  readonly type: LinkType;
  readonly target: string;
  readonly evidence: string;
}

function addLink(id: string, link: LinkChoice) {
  return answer(client.POST("/api/memories/{id}/links", { params: params(id), body: link }));
}

function removeLink(id: string, { type, target }: LinkChoice) {
  return answer(client.POST("/api/memories/{id}/unlink", { params: params(id), body: { type, target } }));
}

/** Whether the link was added. */
export async function link(id: string, choice: LinkChoice): Promise<boolean> {
  try {
    await addLink(id, choice);
    toast({ text: `Linked to ${choice.target}.`, tone: "good", undo: () => removeLink(id, choice) });
    return true;
  } catch (failure) {
    toastError(failure);
    return false;
  }
}

export async function unlink(id: string, choice: LinkChoice): Promise<void> {
  try {
    await removeLink(id, choice);
    toast({ text: "Link removed.", undo: () => addLink(id, choice) });
  } catch (failure) {
    toastError(failure);
  }
}
