import { setQuery } from "../../app/router";

/** What is shown, as the address has it: a reload shows the same. */
export interface GraphState {
  readonly around: readonly string[];
  readonly community: string;
  readonly selected: string | undefined;
  readonly why: boolean;
  /** A day, or nothing for now. */
  readonly at: string;
  readonly hidden: readonly string[];
  readonly grouped: boolean;
  readonly search: string;
}

export function readState(query: URLSearchParams): GraphState {
  return {
    around: list(query.get("around")),
    community: query.get("community") ?? "",
    selected: query.get("select") || undefined,
    why: query.get("why") === "1",
    at: /^\d{4}-\d\d-\d\d$/.test(query.get("at") ?? "") ? (query.get("at") ?? "") : "",
    hidden: list(query.get("hide")),
    grouped: query.get("group") === "1",
    search: query.get("q") ?? "",
  };
}

/** Ids contain no spaces. */
function list(text: string | null): string[] {
  return (text ?? "").split(" ").filter(Boolean);
}

export const acts = {
  select: (id: string | undefined) => setQuery({ select: id, why: undefined }),
  /** Show a node with its neighbours, beside those that are shown so already. */
  expand: (state: GraphState, id: string) => {
    const around = state.around.filter((other) => other !== id);
    setQuery({ around: [...around, id].slice(-40).join(" "), select: id }, { replace: false });
  },
  collapse: (state: GraphState, id: string) =>
    setQuery({ around: state.around.filter((other) => other !== id).join(" ") }, { replace: false }),
  openCommunity: (id: string) =>
    setQuery({ community: id, around: undefined, select: undefined, why: undefined }, { replace: false }),
  everything: () =>
    setQuery(
      { around: undefined, community: undefined, select: undefined, why: undefined },
      { replace: false },
    ),
  why: (on: boolean) => setQuery({ why: on ? "1" : undefined }),
  at: (day: string) => setQuery({ at: day }),
  toggle: (state: GraphState, key: string) => {
    const hidden = state.hidden.filter((other) => other !== key);
    setQuery({ hide: (hidden.length < state.hidden.length ? hidden : [...hidden, key]).join(" ") });
  },
  group: (on: boolean) => setQuery({ group: on ? "1" : undefined }),
  search: (text: string) => setQuery({ q: text }),
  /** Start at a node that was searched for. */
  start: (state: GraphState, id: string) => {
    const around = [...state.around.filter((other) => other !== id), id].slice(-40).join(" ");
    setQuery({ around, select: id, q: undefined, why: undefined, community: undefined }, { replace: false });
  },
};
