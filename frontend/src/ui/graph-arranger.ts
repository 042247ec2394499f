import type { LayoutRequest, Place } from "./graph-layout";

type Waiting = { done: (places: readonly Place[]) => void; fail: (reason: Error) => void };

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let last = 0;

/** Ask for the places of nodes. They are computed in a worker, one request after another. */
export function arranged(request: Omit<LayoutRequest, "number">): Promise<readonly Place[]> {
  const number = ++last;
  return new Promise((done, fail) => {
    waiting.set(number, { done, fail });
    started().postMessage({ ...request, number });
  });
}

/** Load the worker before the first request. */
export function started(): Worker {
  if (worker) return worker;
  const created = new Worker(new URL("./graph-worker.ts", import.meta.url), { type: "module" });
  created.addEventListener("message", ({ data }: MessageEvent<{ number: number; places: Place[] }>) => {
    waiting.get(data.number)?.done(data.places);
    waiting.delete(data.number);
  });
  created.addEventListener("error", (event) => {
    for (const { fail } of waiting.values()) fail(new Error(event.message || "the layout failed"));
    waiting.clear();
    created.terminate();
    worker = null;
  });
  worker = created;
  return created;
}
