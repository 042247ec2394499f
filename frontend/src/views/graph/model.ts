import type { components } from "../../api/schema";
import type { GraphEdge, GraphNode, Tone } from "../../ui";

export type GraphMap = components["schemas"]["GraphMapOutput"];
export type MapNode = components["schemas"]["MapNodeRow"];
export type MapCommunity = components["schemas"]["MapCommunityRow"];
export type Why = components["schemas"]["WhyOutput"];
export type NodeState = "in_force" | "ended" | "not_yet";

interface Look {
  readonly label: string;
  readonly tone: Tone;
  readonly shape?: NonNullable<GraphNode["shape"]>;
}

/** Kinds of nodes in the order of the legend. */
const KINDS: Readonly<Record<string, Look>> = {
  decision: { label: "Decision", tone: "decision" },
  constraint: { label: "Constraint", tone: "constraint" },
  preference: { label: "Preference", tone: "preference" },
  runbook: { label: "Runbook", tone: "runbook" },
  tech_debt: { label: "Tech debt", tone: "debt" },
  skill: { label: "Skill", tone: "accent", shape: "hexagon" },
  missing: { label: "Missing", tone: "neutral", shape: "diamond" },
};

const LINKS: Readonly<Record<string, { tone: Tone; dashed?: boolean }>> = {
  caused: { tone: "accent" },
  enabled: { tone: "accent" },
  derived_from: { tone: "decision" },
  supports: { tone: "good" },
  supersedes: { tone: "warn", dashed: true },
  contradicts: { tone: "bad", dashed: true },
  implements: { tone: "preference" },
  describes: { tone: "preference" },
  governs: { tone: "constraint" },
};

const LINKS_OF_COMMUNITY = 3; // that are drawn at least, the strongest first

export function kindLook(kind: string): Look {
  return KINDS[kind] ?? { label: kind, tone: "neutral" };
}

export function linkLook(type: string): { tone: Tone; dashed?: boolean } {
  return LINKS[type] ?? { tone: "neutral" };
}

export function linkName(type: string): string {
  return type.replaceAll("_", " ");
}

/** What a node was at a moment, as text of the server; the end of a day when it is a day. */
export function stateAt(node: MapNode, at: string): NodeState {
  const moment = at.length === 10 ? `${at}T23:59:59Z` : at;
  if (node.begins > moment) return "not_yet";
  return node.kind === "missing" || (node.ends !== null && node.ends <= moment) ? "ended" : "in_force";
}

export function edgeId(link: { source: string; type: string; target: string }): string {
  return `${link.source} ${link.type} ${link.target}`;
}

export interface Choices {
  /** Kinds of nodes and types of links that are hidden. */
  readonly hidden: ReadonlySet<string>;
  readonly at: string;
  readonly grouped: boolean;
}

/** The nodes and links of the picture. What is hidden keeps its place, so that nothing else moves. */
export function picture(map: GraphMap, choices: Choices): { nodes: GraphNode[]; edges: GraphEdge[] } {
  if (map.level === "communities") return communityPicture(map);
  const sizes = new Map<string, number>();
  for (const { community } of map.nodes) {
    if (community) sizes.set(community, (sizes.get(community) ?? 0) + 1);
  }
  const parents = [...sizes].filter(([, size]) => choices.grouped && size > 1).map(([id]) => id);
  const titles = new Map(map.nodes.map((node) => [node.id, node.title || node.id]));
  return {
    nodes: [
      ...parents.map((id) => ({ id: `community ${id}`, label: titles.get(id) ?? id })),
      ...map.nodes.map((node) => drawnNode(node, choices, parents)),
    ],
    edges: map.links.map((link) => ({
      id: edgeId(link),
      source: link.source,
      target: link.target,
      label: linkName(link.type),
      ...linkLook(link.type),
      hidden: choices.hidden.has(link.type),
    })),
  };
}

function drawnNode(node: MapNode, choices: Choices, parents: readonly string[]): GraphNode {
  const state = stateAt(node, choices.at);
  const { tone, shape = "ellipse" } = kindLook(node.kind);
  const parent =
    node.community && parents.includes(node.community) ? `community ${node.community}` : undefined;
  return {
    id: node.id,
    label: node.title || node.id,
    tone,
    shape,
    parent,
    size: 1 + Math.min(1, Math.log2(1 + node.links) / 5),
    faded: state === "ended",
    hidden: state === "not_yet" || choices.hidden.has(node.kind),
  };
}

function communityPicture(map: GraphMap): { nodes: GraphNode[]; edges: GraphEdge[] } {
  return {
    nodes: map.communities.map((community) => ({
      id: community.id,
      label: `${community.title} (${community.size})`,
      tone: kindLook(Object.keys(community.kinds)[0] ?? "").tone,
      size: 1 + Math.sqrt(community.size) / 4,
      faded: community.in_force === 0,
    })),
    edges: strongest(map.between).map((row) => ({
      id: `${row.source} ${row.target}`,
      source: row.source,
      target: row.target,
      label: row.links > 1 ? `${row.links} links` : "",
      plain: true,
    })),
  };
}

/** The strongest links of each community: all of them, between large communities, would hide the picture. */
function strongest(between: GraphMap["between"]): GraphMap["between"] {
  const counts = new Map<string, number>();
  const isWanted = (id: string) => (counts.get(id) ?? 0) < LINKS_OF_COMMUNITY;
  const chosen: GraphMap["between"] = [];
  for (const row of between) {
    if (!isWanted(row.source) && !isWanted(row.target)) continue;
    chosen.push(row);
    for (const id of [row.source, row.target]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return chosen;
}

/** Every node and link of an explanation: the walk back, what replaced it, what contradicts it. */
export function whyPath(why: Why): Set<string> {
  const links = [...why.steps, ...why.contradictions];
  const ids = new Set([why.id]);
  for (const link of links) for (const id of [link.source, link.target, edgeId(link)]) ids.add(id);
  for (const { id, of } of why.superseded_by) {
    for (const part of [id, of, edgeId({ source: id, type: "supersedes", target: of })]) ids.add(part);
  }
  return ids;
}

/** The ids of nodes among those of `whyPath`; an edge's has spaces. */
export function nodesOf(path: ReadonlySet<string>): string[] {
  return [...path].filter((id) => !id.includes(" "));
}

/** A node, its neighbours and the links to them. */
export function aroundNode(map: GraphMap, id: string): Set<string> {
  const ids = new Set([id]);
  for (const link of map.links) {
    if (link.source === id || link.target === id) {
      for (const part of [link.source, link.target, edgeId(link)]) ids.add(part);
    }
  }
  for (const row of map.between) {
    if (row.source === id || row.target === id) {
      for (const part of [row.source, row.target, `${row.source} ${row.target}`]) ids.add(part);
    }
  }
  return ids;
}

/** How many neighbours of each node are not in the picture. */
export function unseen(map: GraphMap): Map<string, number> {
  const near = new Map<string, Set<string>>();
  for (const { source, target } of map.links) {
    near.set(source, (near.get(source) ?? new Set()).add(target));
    near.set(target, (near.get(target) ?? new Set()).add(source));
  }
  return new Map(map.nodes.map((node) => [node.id, node.links - (near.get(node.id)?.size ?? 0)]));
}

export interface LegendRow {
  readonly key: string;
  readonly label: string;
  readonly tone: Tone;
  readonly count: number;
  readonly of: "nodes" | "links";
}

/** The kinds and types that the picture has, with their numbers. */
export function legendRows(map: GraphMap): LegendRow[] {
  const kinds = counted(map.nodes.map((node) => node.kind));
  const types = counted(map.links.map((link) => link.type));
  const order = Object.keys(KINDS);
  return [
    ...[...kinds]
      .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
      .map(([key, count]) => ({ key, ...kindLook(key), count, of: "nodes" as const })),
    ...[...types]
      .sort(([, a], [, b]) => b - a)
      .map(([key, count]) => ({
        key,
        label: linkName(key),
        tone: linkLook(key).tone,
        count,
        of: "links" as const,
      })),
  ];
}

function counted(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const DAY = 86_400_000;

export function dayNumber(at: string): number {
  return Math.floor(Date.parse(at.slice(0, 10)) / DAY);
}

export function dayText(number: number): string {
  return new Date(number * DAY).toISOString().slice(0, 10);
}
