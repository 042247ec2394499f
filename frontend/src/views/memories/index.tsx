import { useMemo } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { useShortcuts } from "../../app/keyboard";
import { navigate, pathTo } from "../../app/router";
import { Page, Split } from "../../ui";
import type { ViewProps } from "..";
import { Detail, NothingOpen, SkillNote } from "./detail";
import { AllMemories, FilterBar, SearchHits, useSearch } from "./list";
import { filtersOf } from "./types";
import "./memories.css";

const OF_A_MEMORY = ["edit", "tab"]; // parameters that belong to the open memory, not to the list

/** What the project decided, and why: found, read, mended. */
export default function Memories({ path, query }: ViewProps) {
  const key = query.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text of the query stands for it
  const filters = useMemo(() => filtersOf(query), [key]);
  const id = path[0] ?? "";
  const forms = useResource(
    (signal) => answer(client.GET("/api/memory-forms", { signal })),
    [],
    ["memories"],
  );
  const search = useSearch(filters);
  const hits = filters.q.trim() ? search.data?.hits : undefined;
  const go = (target: string, replace: boolean) => navigate(withFilters(target, query), { replace });
  const open = (next: string, replace: boolean) => go(pathTo("memories", next), replace);
  const close = () => go("/memories", false);
  useShortcuts(id ? [{ keys: "Escape", label: "Back to the list", group: "Memories", run: close }] : []);
  const list = { filters, selected: id, follow: id !== "", open };
  return (
    <Page title="Memories" subtitle="What this project decided, and why" fill wide>
      <FilterBar filters={filters} forms={forms.data} />
      <Split
        label="Memory"
        open={id !== ""}
        list={filters.q.trim() ? <SearchHits {...list} search={search} /> : <AllMemories {...list} />}
        detail={
          id.startsWith("skill:") ? (
            <SkillNote id={id} onClose={close} />
          ) : id ? (
            <Detail
              key={id}
              id={id}
              query={query}
              forms={forms.data}
              hit={hits?.find((hit) => hit.id === id)}
              onClose={close}
            />
          ) : (
            <NothingOpen />
          )
        }
      />
    </Page>
  );
}

function withFilters(target: string, query: URLSearchParams): string {
  const filters = new URLSearchParams(query);
  for (const name of OF_A_MEMORY) filters.delete(name);
  const text = filters.toString();
  return text ? `${target}?${text}` : target;
}
