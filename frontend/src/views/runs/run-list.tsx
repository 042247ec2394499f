import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { navigate, pathTo, setQuery } from "../../app/router";
import {
  EmptyState,
  Id,
  Loaded,
  Page,
  SearchField,
  Segmented,
  Skeleton,
  StateBadge,
  Time,
  VirtualList,
} from "../../ui";
import { filteredRuns, type RunFilter, type RunRow } from "./model";

const FILTERS = [
  { value: "all", label: "All" },
  { value: "waiting", label: "Waiting" },
  { value: "running", label: "Running" },
  { value: "ended", label: "Ended" },
] as const;

export function RunList({ query }: { query: URLSearchParams }) {
  const runs = useResource((signal) => answer(client.GET("/api/runs", { signal })), [], ["runs"]);
  return (
    <Page title="Runs" fill subtitle="Workflows that call tools: running and past.">
      <Loaded of={runs} skeleton={<Skeleton height={420} />}>
        {(data) => (data.runs.length ? <Listed runs={data.runs} query={query} /> : <NoRuns />)}
      </Loaded>
    </Page>
  );
}

function NoRuns() {
  return (
    <EmptyState icon="runs" title="No runs yet">
      Workflows that call tools appear here while they run, and calls that need a person wait here for you.
      Start one with <code>recollect run start FILE</code>, or let an agent do it.
    </EmptyState>
  );
}

function Listed({ runs, query }: { runs: readonly RunRow[]; query: URLSearchParams }) {
  const filter = (query.get("state") ?? "all") as RunFilter;
  const text = query.get("q") ?? "";
  const shown = filteredRuns(runs, filter, text);
  const selected = query.get("at") ?? undefined;
  return (
    <>
      <div class="runs-filter">
        <SearchField label="Search runs" value={text} onValue={(q) => setQuery({ q })} />
        <Segmented
          label="State"
          value={filter}
          onValue={(state) => setQuery({ state: state === "all" ? undefined : state })}
          choices={FILTERS}
        />
      </div>
      <div class="runs-list">
        {shown.length ? (
          <VirtualList
            label="Runs"
            items={shown}
            itemKey={(run) => run.id}
            rowHeight={64}
            keyboard
            selected={selected}
            onSelect={(run) => setQuery({ at: run.id })}
            onOpen={(run) => navigate(pathTo("runs", run.id))}
            render={(run) => <RunLine run={run} />}
          />
        ) : (
          <EmptyState icon="filter" title="No run matches">
            Try other words or another state.
          </EmptyState>
        )}
      </div>
    </>
  );
}

function RunLine({ run }: { run: RunRow }) {
  return (
    <div class="runs-line">
      <StateBadge state={run.status} />
      <div class="grow">
        <div class="truncate">{run.intent || "Without a description"}</div>
        <Id value={run.id} />
      </div>
      <div class="faint runs-line-end">
        <Time at={run.changed_at} />
        <span class="number">{run.events.toLocaleString("en")} events</span>
      </div>
    </div>
  );
}
