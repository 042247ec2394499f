import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { Badge, EmptyState, Loaded, Skeleton, VirtualList } from "../../ui";
import { CommunityDetail, NodeDetail } from "./detail";
import { type GraphMap, kindLook, type MapCommunity, type MapNode, stateAt, unseen, type Why } from "./model";
import { acts, type GraphState } from "./state";

export interface PanelProps {
  readonly map: GraphMap;
  readonly state: GraphState;
  readonly at: string;
  readonly why: Why | undefined;
  readonly whyError: Error | undefined;
  readonly open: (id: string) => void;
}

/** The same content as the picture, as text: what is selected, and everything that is shown. */
export function SidePanel(props: PanelProps) {
  const { map, state } = props;
  if (state.search) return <Matches state={state} />;
  const node = map.nodes.find((each) => each.id === state.selected);
  const community = map.communities.find((each) => each.id === state.selected);
  return (
    <aside class="graph-panel" aria-label="What the picture shows">
      {node && <NodeDetail key={node.id} node={node} {...props} />}
      {community && <CommunityDetail key={community.id} community={community} />}
      {map.level === "nodes" ? <Nodes {...props} /> : <Communities {...props} />}
    </aside>
  );
}

function Nodes({ map, state, at, open }: PanelProps) {
  const hidden = new Set(state.hidden);
  const more = unseen(map);
  const items = map.nodes.filter((node) => !hidden.has(node.kind) && stateAt(node, at) !== "not_yet");
  return (
    <VirtualList
      label="Nodes in the picture"
      items={items}
      itemKey={(node) => node.id}
      rowHeight={62}
      keyboard
      selected={state.selected}
      onSelect={(node) => acts.select(node.id)}
      onOpen={(node) => (node.id === state.selected ? open(node.id) : acts.select(node.id))}
      render={(node) => (
        <NodeRow node={node} more={more.get(node.id) ?? 0} ended={stateAt(node, at) === "ended"} />
      )}
    />
  );
}

function NodeRow({ node, more, ended }: { node: MapNode; more: number; ended: boolean }) {
  const look = kindLook(node.kind);
  return (
    <>
      <div class="truncate">{node.title || node.id}</div>
      <div class="row">
        <Badge tone={look.tone}>{look.label}</Badge>
        {ended && node.kind !== "missing" && <Badge>Ended</Badge>}
        <span class="faint">
          {node.links} {node.links === 1 ? "link" : "links"}
          {more > 0 && `, ${more} not shown`}
        </span>
      </div>
    </>
  );
}

function Communities({ map, state, open }: PanelProps) {
  return (
    <VirtualList
      label="Communities"
      items={map.communities}
      itemKey={(community) => community.id}
      rowHeight={62}
      keyboard
      selected={state.selected}
      onSelect={(community) => acts.select(community.id)}
      onOpen={(community) =>
        community.id === state.selected ? open(community.id) : acts.select(community.id)
      }
      render={(community) => <CommunityRow community={community} />}
    />
  );
}

function CommunityRow({ community }: { community: MapCommunity }) {
  return (
    <>
      <div class="truncate">{community.title}</div>
      <div class="faint">
        {community.size} members, {community.in_force} in force
      </div>
    </>
  );
}

/** What a search found in the whole graph; opening one starts there. */
function Matches({ state }: { state: GraphState }) {
  const q = state.search;
  const found = useResource(
    (signal) => answer(client.GET("/api/graph/search", { params: { query: { q } }, signal })),
    [q],
    ["memories"],
  );
  return (
    <aside class="graph-panel" aria-label="Search results">
      <Loaded of={found} skeleton={<Skeleton lines={6} />}>
        {({ nodes }) =>
          nodes.length === 0 ? (
            <EmptyState icon="search" title="Nothing matches">
              The search looks at the titles and ids of memories and skills.
            </EmptyState>
          ) : (
            <VirtualList
              label="Search results"
              items={nodes}
              itemKey={(node) => node.id}
              rowHeight={62}
              keyboard
              onOpen={(node) => acts.start(state, node.id)}
              render={(node) => <NodeRow node={node} more={0} ended={stateAt(node, now()) === "ended"} />}
            />
          )
        }
      </Loaded>
    </aside>
  );
}

function now(): string {
  return new Date().toISOString();
}
