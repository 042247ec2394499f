import { useMemo } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { useShortcuts } from "../../app/keyboard";
import { Button, EmptyState, Graph, Loaded, Page, prepareGraph, SearchField, Skeleton } from "../../ui";
import type { ViewProps } from "..";
import { Legend } from "./legend";
import { aroundNode, type GraphMap, nodesOf, picture, type Why, whyPath } from "./model";
import { SidePanel } from "./panel";
import { acts, type GraphState, readState } from "./state";
import { Timeline } from "./timeline";
import "./graph.css";

prepareGraph();

export default function GraphView({ query }: ViewProps) {
  const state = readState(query);
  const why = useWhy(state);
  const map = useMap(state, why.data ? nodesOf(whyPath(why.data)) : []);
  const totals = map.data;
  return (
    <Page
      title="Graph"
      wide
      fill
      subtitle={totals && <Subtitle map={totals} />}
      actions={
        <SearchField
          label="Search the graph"
          placeholder="Search titles"
          value={state.search}
          onValue={acts.search}
        />
      }
    >
      <Loaded of={map} skeleton={<Skeleton height={480} />}>
        {(data) =>
          data.total_links === 0 && state.around.length === 0 ? (
            <NoLinks />
          ) : (
            <Content map={data} state={state} why={why.data ?? undefined} whyError={why.error} />
          )
        }
      </Loaded>
    </Page>
  );
}

function useWhy(state: GraphState) {
  const of = state.why ? state.selected : undefined;
  return useResource<Why | null>(
    (signal) =>
      of
        ? answer(client.GET("/api/graph/why", { params: { query: { of, depth: 5 } }, signal }))
        : Promise.resolve(null),
    [of],
    ["memories"],
  );
}

function useMap(state: GraphState, also: readonly string[]) {
  const { around, community } = state;
  const at = around.length > 0 || community ? "" : state.at; // the server counts with it only from afar
  const query = { around: [...around], also: [...also], community, at };
  return useResource(
    (signal) => answer(client.GET("/api/graph", { params: { query }, signal })),
    [query],
    ["memories"],
  );
}

function Content({
  map,
  state,
  why,
  whyError,
}: {
  map: GraphMap;
  state: GraphState;
  why: Why | undefined;
  whyError: Error | undefined;
}) {
  const { at, grouped, selected } = state;
  const hidden = state.hidden.join(" ");
  const drawn = useMemo(
    () => picture(map, { hidden: new Set(hidden.split(" ")), at: at || now(), grouped }),
    [map, hidden, at, grouped],
  );
  const highlighted = useMemo(
    () => (why ? whyPath(why) : selected ? aroundNode(map, selected) : new Set<string>()),
    [why, selected, map],
  );
  const open = (id: string) => openNode(map, state, id);
  useShortcuts(graphShortcuts(state, map));
  const isPart = state.around.length > 0 || state.community !== "";
  return (
    <div class={state.search ? "graph-view searching" : "graph-view"}>
      <div class="graph-main">
        <Legend map={map} state={state} />
        <Graph
          label={map.level === "communities" ? "Communities of the graph" : "Memories and skills"}
          nodes={drawn.nodes}
          edges={drawn.edges}
          layout="force"
          selected={selected}
          highlighted={highlighted}
          onSelect={(id) => acts.select(id?.includes(" ") ? undefined : id)}
          onOpen={open}
        />
        {isPart && (
          <div class="graph-back">
            <Button size="small" icon="undo" onClick={acts.everything}>
              Show everything
            </Button>
          </div>
        )}
        <Timeline earliest={map.earliest} at={at} />
      </div>
      <SidePanel map={map} state={state} at={at || now()} why={why} whyError={whyError} open={open} />
    </div>
  );
}

function now(): string {
  return new Date().toISOString();
}

/** Expand a node, or open a community. */
function openNode(map: GraphMap, state: GraphState, id: string): void {
  if (id.includes(" ")) return;
  if (map.level === "communities") acts.openCommunity(id);
  else acts.expand(state, id);
}

function graphShortcuts(state: GraphState, map: GraphMap) {
  const { selected } = state;
  return [
    {
      keys: "w",
      label: "Why is it like this?",
      group: "Graph",
      run: () => selected && map.level === "nodes" && acts.why(!state.why),
    },
    {
      keys: "e",
      label: "Show neighbours",
      group: "Graph",
      run: () => selected && openNode(map, state, selected),
    },
    { keys: "a", label: "Show everything", group: "Graph", run: acts.everything },
    { keys: "Escape", label: "Clear the selection", group: "Graph", run: () => acts.select(undefined) },
  ];
}

function Subtitle({ map }: { map: GraphMap }) {
  const shown = map.level === "nodes" ? map.nodes.length : map.communities.length;
  const what = map.level === "nodes" ? "" : " communities";
  return (
    <>
      {shown.toLocaleString("en")}
      {what} shown of {map.total_nodes.toLocaleString("en")} memories and skills with{" "}
      {map.total_links.toLocaleString("en")} links
      {map.unlinked > 0 && `; ${map.unlinked.toLocaleString("en")} have no link`}
      {map.left_out > 0 && `; ${map.left_out.toLocaleString("en")} left out`}
    </>
  );
}

function NoLinks() {
  return (
    <EmptyState icon="graph" title="No links yet">
      Links between memories show what led to what. Add one with <code>recollect link</code>, or let{" "}
      <code>recollect link --suggest</code> propose some.
    </EmptyState>
  );
}
