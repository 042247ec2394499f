import { useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { answer, client } from "../../api/client";
import { changes } from "../../app/live";
import { apiFilters, type MemoryFilters, type MemoryRow } from "./types";

const PAGE = 100; // rows that are read at once

/** A row of the list; null until its page has been read. */
export interface Slot {
  readonly index: number;
  readonly row: MemoryRow | null;
}

export interface MemoryPages {
  readonly slots: readonly Slot[];
  /** False until the first page is there. */
  readonly ready: boolean;
  readonly error: Error | undefined;
  readonly show: (first: number, last: number) => void;
  readonly reload: () => void;
}

interface Loading {
  key: string;
  rows: Map<number, MemoryRow>;
  fresh: Set<number>;
  total: number | null;
  visible: readonly [number, number];
  error: Error | undefined;
}

/** All memories that pass, of which only the pages in sight are read; old rows stay while they are read again. */
export function useMemoryPages(filters: MemoryFilters): MemoryPages {
  const key = JSON.stringify(apiFilters(filters));
  const [round, redraw] = useReducer((count: number) => count + 1, 0);
  const state = useRef<Loading>(emptyPages(key));
  if (state.current.key !== key) state.current = emptyPages(key);
  const loading = state.current;

  const read = useCallback(
    async (page: number) => {
      const mine = state.current;
      if (mine.fresh.has(page)) return;
      mine.fresh.add(page);
      try {
        const query = { ...apiFilters(filters), offset: page * PAGE, limit: PAGE };
        const out = await answer(client.GET("/api/memories", { params: { query } }));
        if (out.total !== mine.total) dropFrom(mine, out.total);
        mine.total = out.total;
        mine.error = undefined;
        out.memories.forEach((row, index) => {
          mine.rows.set(page * PAGE + index, row);
        });
      } catch (failure) {
        mine.fresh.delete(page);
        mine.error = failure instanceof Error ? failure : new Error(String(failure));
      }
      if (mine === state.current) redraw(0);
    },
    [filters],
  );
  const show = useCallback(
    (first: number, last: number) => {
      state.current.visible = [first, last];
      for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) void read(page);
    },
    [read],
  );
  const reload = useCallback(() => {
    state.current.fresh.clear();
    show(...state.current.visible);
  }, [show]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key starts with its first page
  useEffect(() => show(0, 0), [key]);
  const seen = useRef<number | null>(null);
  useSignalEffect(() => {
    const count = changes.memories.value;
    if (seen.current !== null && seen.current !== count) reload();
    seen.current = count;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` counts what was read
  const slots = useMemo(
    () =>
      Array.from({ length: loading.total ?? 0 }, (_, index) => ({
        index,
        row: loading.rows.get(index) ?? null,
      })),
    [loading, round],
  );
  return { slots, ready: loading.total !== null, error: loading.error, show, reload };
}

function emptyPages(key: string): Loading {
  return { key, rows: new Map(), fresh: new Set(), total: null, visible: [0, 0], error: undefined };
}

function dropFrom(loading: Loading, total: number): void {
  for (const index of loading.rows.keys()) if (index >= total) loading.rows.delete(index);
}
