import { useEffect, useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { type Resource, useResource } from "../../api/resource";
import type { components } from "../../api/schema";
import { setQuery } from "../../app/router";
import {
  Button,
  EmptyState,
  ErrorState,
  SearchField,
  Segmented,
  Select,
  Skeleton,
  sentenceCase,
  VirtualList,
} from "../../ui";
import { useMemoryPages } from "./pages";
import { ListRow, SearchRow } from "./rows";
import { apiFilters, type MemoryFilters, type MemoryForms } from "./types";

type SearchOutput = components["schemas"]["SearchOutput"];
const TYPING_MS = 90; // of silence after which a query is sent
const LIST_ROW = 66;
const SEARCH_ROW = 116;

const STATES = [
  { value: "in_force", label: "In force" },
  { value: "not_in_force", label: "Not in force" },
  { value: "all", label: "All" },
];

interface ListProps {
  readonly filters: MemoryFilters;
  readonly selected: string;
  readonly follow: boolean;
  readonly open: (id: string, replace: boolean) => void;
}

/** The search field and the filters, all in the address. */
export function FilterBar({ filters, forms }: { filters: MemoryFilters; forms: MemoryForms | undefined }) {
  const [text, setText] = useState(filters.q);
  useEffect(() => setText(filters.q), [filters.q]);
  useEffect(() => {
    if (text === filters.q) return;
    const timer = window.setTimeout(() => setQuery({ q: text }), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [text, filters.q]);
  const every = { value: "", label: "All categories" };
  const categories = (forms?.categories ?? []).map(({ category }) => ({
    value: category,
    label: sentenceCase(category),
  }));
  const tags = (forms?.tags ?? []).map(({ tag, memories }) => ({
    value: tag,
    label: `${tag} (${memories})`,
  }));
  if (filters.tag && !tags.some(({ value }) => value === filters.tag)) {
    tags.unshift({ value: filters.tag, label: filters.tag });
  }
  return (
    <div class="memories-filters">
      <SearchField value={text} onValue={setText} label="Search memories" placeholder="Search memories" />
      <Select
        label="Category"
        hideLabel
        value={filters.category}
        onValue={(category) => setQuery({ category })}
        choices={[every, ...categories]}
      />
      <Select
        label="Tag"
        hideLabel
        value={filters.tag}
        onValue={(tag) => setQuery({ tag })}
        choices={[{ value: "", label: "All tags" }, ...tags]}
      />
      <Segmented
        label="In force"
        value={filters.state}
        onValue={(state) => setQuery({ state: state === "in_force" ? undefined : state })}
        choices={STATES}
      />
    </div>
  );
}

export function useSearch(filters: MemoryFilters): Resource<SearchOutput | null> {
  return useResource(
    async (signal) => {
      if (!filters.q.trim()) return null;
      const query = { q: filters.q, ...apiFilters(filters), limit: 50 };
      return answer(client.GET("/api/search", { params: { query }, signal }));
    },
    [filters],
    ["memories"],
  );
}

/** Every memory that passes the filters, read page by page. */
export function AllMemories({ filters, selected, follow, open }: ListProps) {
  const pages = useMemoryPages(filters);
  if (!pages.ready) {
    return pages.error ? <ErrorState error={pages.error} retry={pages.reload} /> : <ListSkeleton />;
  }
  if (pages.slots.length === 0) return <NoMemories filters={filters} />;
  const current = pages.slots.find((slot) => slot.row?.id === selected);
  return (
    <>
      <p class="memories-count faint number" role="status">
        {pages.slots.length.toLocaleString("en")} {pages.slots.length === 1 ? "memory" : "memories"}, the last
        changed first
      </p>
      <VirtualList
        label="Memories"
        items={pages.slots}
        itemKey={(slot) => slot.row?.path ?? `#${slot.index}`}
        rowHeight={LIST_ROW}
        render={(slot) => <ListRow row={slot.row} />}
        selected={current?.row?.path}
        onSelect={(slot) => follow && slot.row && open(slot.row.id, true)}
        onOpen={(slot) => slot.row && open(slot.row.id, false)}
        onVisible={pages.show}
        keyboard
      />
    </>
  );
}

/** The hits of a search, best first. */
export function SearchHits({
  search,
  filters,
  selected,
  follow,
  open,
}: ListProps & { search: Resource<SearchOutput | null> }) {
  const { data, error, reload } = search;
  if (!data) return error ? <ErrorState error={error} retry={reload} /> : <ListSkeleton />;
  if (data.hits.length === 0) return <NoMemories filters={filters} />;
  const current = data.hits.find((hit) => hit.id === selected);
  return (
    <>
      <p class="memories-count faint" role="status">
        {data.hits.length} {data.hits.length === 1 ? "hit" : "hits"}, best first ·{" "}
        {strategyName(data.strategy)}
        {data.notes.map((note) => ` · ${note}`)}
      </p>
      <VirtualList
        label="Search results"
        items={data.hits}
        itemKey={(hit) => hit.path || hit.id}
        rowHeight={SEARCH_ROW}
        render={(hit) => <SearchRow hit={hit} />}
        selected={current && (current.path || current.id)}
        onSelect={(hit) => follow && open(hit.id, true)}
        onOpen={(hit) => open(hit.id, false)}
        keyboard
      />
    </>
  );
}

function strategyName(strategy: string): string {
  return strategy === "hybrid" ? "by words and meaning" : "by words";
}

function ListSkeleton() {
  return (
    <div class="memories-skeleton" role="status" aria-label="Loading">
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <Skeleton key={row} lines={2} />
      ))}
    </div>
  );
}

function NoMemories({ filters }: { filters: MemoryFilters }) {
  const isFiltered = filters.q || filters.category || filters.tag || filters.state !== "in_force";
  if (!isFiltered) {
    return (
      <EmptyState icon="memories" title="No memories yet">
        A memory is something this project decided, and why. Save one with <code>recollect save</code>, or let
        your agent propose it: it appears here at once.
      </EmptyState>
    );
  }
  const clear = () => setQuery({ q: "", category: "", tag: "", state: "" });
  return (
    <EmptyState
      icon="search"
      title="No memory matches"
      action={<Button onClick={clear}>Clear the filters</Button>}
    >
      {filters.state === "in_force" ? "Memories that are not in force are hidden." : "Try fewer filters."}
    </EmptyState>
  );
}
