import type { components } from "../../api/schema";

export type MemoryRow = components["schemas"]["MemoryRow"];
export type HitRow = components["schemas"]["HitRow"];
export type MemoryPage = Omit<components["schemas"]["MemoryPageOutput"], "memory"> & {
  readonly memory: RecordDocument;
};
export type MemoryForms = components["schemas"]["MemoryFormsOutput"];
export type CategoryForm = components["schemas"]["CategoryForm"];
export type FormField = components["schemas"]["FormField"];
export type LinkedRow = components["schemas"]["LinkedRow"];
export type LinkType = components["schemas"]["LinkType"];
export type Problem = components["schemas"]["ProblemRow"];

/** A record as JSON, with fields this page may not know. */
export interface RecordDocument {
  readonly [name: string]: unknown;
  readonly title?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly related_files?: readonly string[];
  readonly record_status?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly valid_to?: string;
  readonly retired_reason?: string;
  readonly source?: { readonly kind?: string };
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Which memories are shown: the filters of the address. */
export interface MemoryFilters {
  readonly q: string;
  readonly category: string;
  readonly tag: string;
  readonly state: "in_force" | "not_in_force" | "all";
}

export function filtersOf(query: URLSearchParams): MemoryFilters {
  const state = query.get("state");
  return {
    q: query.get("q") ?? "",
    category: query.get("category") ?? "",
    tag: query.get("tag") ?? "",
    state: state === "all" || state === "not_in_force" ? state : "in_force",
  };
}

/** The filters as parameters of the API. */
export function apiFilters({ category, tag, state }: MemoryFilters) {
  return {
    ...(category ? { category: [category] as MemoryCategory[] } : {}),
    ...(tag ? { tag: [tag] } : {}),
    state,
  };
}

type MemoryCategory = "decision" | "constraint" | "preference" | "runbook" | "tech_debt" | "session_summary";
