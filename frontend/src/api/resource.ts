import { useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { changes, type Topic } from "../app/live";

/** Something read from the server. `data` stays while it is read again, so nothing jumps. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  /** True until the first answer for the present inputs. */
  readonly loading: boolean;
  readonly reload: () => void;
}

interface State<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly inputs: string;
}

/**
 * Read with `load`, again when `inputs` change and when the server says that one of `topics` changed.
 * An answer that arrives after a newer request is dropped. Nothing is read while `load` is null.
 */
export function useResource<T>(
  load: ((signal: AbortSignal) => Promise<T>) | null,
  inputs: readonly unknown[],
  topics: readonly Topic[],
): Resource<T> {
  const key = JSON.stringify([load !== null, inputs]);
  const [state, setState] = useState<State<T>>({ data: undefined, error: undefined, inputs: "" });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks for another reading of the same inputs
  useEffect(() => {
    const abort = new AbortController();
    latest.current?.(abort.signal).then(
      (data) => !abort.signal.aborted && setState({ data, error: undefined, inputs: key }),
      (failure: unknown) => {
        if (abort.signal.aborted) return;
        const error = failure instanceof Error ? failure : new Error(String(failure));
        setState((previous) => ({ data: previous.data, error, inputs: key }));
      },
    );
    return () => abort.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  const seen = useRef<number | null>(null);
  useSignalEffect(() => {
    const total = topics.reduce((sum, topic) => sum + changes[topic].value, 0);
    if (seen.current !== null && seen.current !== total) reload();
    seen.current = total;
  });
  return { data: state.data, error: state.error, loading: state.inputs !== key, reload };
}
