import { pathTo } from "../../app/router";
import { absoluteTime, Badge, Button, IconButton, Id, Link } from "../../ui";
import {
  type GraphMap,
  kindLook,
  linkName,
  type MapCommunity,
  type MapNode,
  stateAt,
  unseen,
  type Why,
} from "./model";
import type { PanelProps } from "./panel";
import { acts } from "./state";

/** What is selected: what it is, what can be done, why it is so, and its links. */
export function NodeDetail({ node, map, state, at, why, whyError, open }: PanelProps & { node: MapNode }) {
  const look = kindLook(node.kind);
  const isSkill = node.kind === "skill";
  const expanded = state.around.includes(node.id);
  const more = unseen(map).get(node.id) ?? 0;
  return (
    <section class="graph-detail" aria-label="Selected" aria-live="polite">
      <div class="row">
        <h2 class="grow">{node.title || node.id}</h2>
        <IconButton
          size="small"
          icon="close"
          label="Clear the selection"
          onClick={() => acts.select(undefined)}
        />
      </div>
      <div class="row wrap">
        <Badge tone={look.tone}>{look.label}</Badge>
        {!isSkill && <Validity node={node} at={at} />}
        <Id value={node.id} />
      </div>
      <div class="row wrap">
        {expanded ? (
          <Button size="small" icon="minus" onClick={() => acts.collapse(state, node.id)}>
            Hide neighbours
          </Button>
        ) : (
          <Button size="small" icon="expand" keys="e" onClick={() => open(node.id)}>
            {more > 0 ? `Show neighbours (${more} more)` : "Start here"}
          </Button>
        )}
        {!isSkill && node.kind !== "missing" && (
          <>
            <Button
              size="small"
              icon="help"
              keys="w"
              aria-pressed={state.why}
              onClick={() => acts.why(!state.why)}
            >
              Why?
            </Button>
            <Link class="button default small" to={pathTo("memories", node.id)}>
              Open memory
            </Link>
          </>
        )}
      </div>
      {state.why && whyError && <p class="field-error">{whyError.message}</p>}
      {state.why && why && <WhySteps why={why} />}
      {!state.why && <Links map={map} id={node.id} />}
    </section>
  );
}

function Validity({ node, at }: { node: MapNode; at: string }) {
  switch (stateAt(node, at)) {
    case "in_force":
      return <Badge tone="good">In force since {day(node.begins)}</Badge>;
    case "ended":
      return <Badge tone="warn">{node.ends ? `Ended ${day(node.ends)}` : "Does not exist"}</Badge>;
    case "not_yet":
      return <Badge>From {day(node.begins)}</Badge>;
  }
}

function day(at: string): string {
  return at ? (absoluteTime(new Date(at)).split(",")[0] ?? at) : "";
}

/** The walk back from a memory, the nearest reason first. */
function WhySteps({ why }: { why: Why }) {
  return (
    <div class="stack">
      <h3>What led to it</h3>
      {why.steps.length === 0 && <p class="faint">It has no links to reasons.</p>}
      <ol class="graph-links">
        {why.steps.map((step) => (
          <li
            key={`${step.source} ${step.type} ${step.target} ${step.depth}`}
            data-depth={Math.min(step.depth, 5)}
          >
            <span class="faint">{step.says}</span>
            <NodeButton id={step.there} title={step.title} />
            {step.not_in_force && <Badge tone="warn">{step.not_in_force}</Badge>}
            {step.evidence && <q class="graph-evidence">{step.evidence}</q>}
          </li>
        ))}
        {why.superseded_by.map((row) => (
          <li key={row.id}>
            <span class="faint">superseded by</span>
            <NodeButton id={row.id} title={row.title} />
          </li>
        ))}
      </ol>
      {why.circular && <p class="faint">Some links form a cycle: each memory explains the other.</p>}
      {why.more && <p class="faint">There are more steps.</p>}
      {why.commits.map((row) => (
        <p key={row.commit} class="faint">
          <Id value={row.commit.slice(0, 12)} /> {row.says}
        </p>
      ))}
    </div>
  );
}

function Links({ map, id }: { map: GraphMap; id: string }) {
  const links = map.links.filter((link) => link.source === id || link.target === id);
  const titles = new Map(map.nodes.map((node) => [node.id, node.title]));
  if (links.length === 0) return <p class="faint">None of its neighbours are shown.</p>;
  return (
    <ul class="graph-links" aria-label="Links">
      {links.map((link) => {
        const outward = link.source === id;
        const other = outward ? link.target : link.source;
        return (
          <li key={`${link.source} ${link.type} ${link.target}`}>
            <span class="faint">{outward ? `${linkName(link.type)} →` : `← ${linkName(link.type)}`}</span>
            <NodeButton id={other} title={titles.get(other)} />
            {link.evidence && <q class="graph-evidence">{link.evidence}</q>}
          </li>
        );
      })}
    </ul>
  );
}

function NodeButton({ id, title }: { id: string; title: string | null | undefined }) {
  return (
    <button type="button" class="graph-node-button" onClick={() => acts.select(id)}>
      {title || id}
    </button>
  );
}

export function CommunityDetail({ community }: { community: MapCommunity }) {
  return (
    <section class="graph-detail" aria-label="Selected" aria-live="polite">
      <h2>{community.title}</h2>
      <p class="faint">
        {community.size} members, {community.in_force} of them in force
      </p>
      <div class="row wrap">
        {Object.entries(community.kinds).map(([kind, count]) => (
          <Badge key={kind} tone={kindLook(kind).tone}>
            {kindLook(kind).label} {count}
          </Badge>
        ))}
      </div>
      <div class="row">
        <Button size="small" icon="expand" keys="e" onClick={() => acts.openCommunity(community.id)}>
          Open the community
        </Button>
      </div>
    </section>
  );
}
