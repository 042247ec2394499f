import type { components } from "../../api/schema";
import { type GraphEdge, type GraphNode, stateTone } from "../../ui";

export type RunRow = components["schemas"]["RunRow"];
export type Run = components["schemas"]["RunOutput"];
export type GraphTask = components["schemas"]["RunGraphTask"];
export type Approval = components["schemas"]["RunApproval"];

export const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "skipped", "cancelled"]);
const MOST_CHILDREN = 24; // items of a list, or calls of code, that are drawn one by one

const MARKS: Readonly<Record<string, string>> = {
  pending: "·",
  ready: "○",
  waiting_approval: "?",
  running: "▸",
  succeeded: "✓",
  failed: "✗",
  skipped: "–",
  cancelled: "–",
  in_doubt: "!",
};

/** A sign for a state, so that it is not known by colour alone. */
export function stateMark(status: string): string {
  return MARKS[status] ?? "";
}

export function isOver(status: string): boolean {
  return status !== "running" && status !== "paused";
}

export type RunFilter = "all" | "waiting" | "running" | "ended";

/** Runs in one state whose intent or id has the words of `text`. */
export function filteredRuns(runs: readonly RunRow[], filter: RunFilter, text: string): readonly RunRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => {
    const searched = `${run.intent} ${run.id}`.toLowerCase();
    return isIn(run.status, filter) && words.every((word) => searched.includes(word));
  });
}

function isIn(status: string, filter: RunFilter): boolean {
  if (filter === "waiting") return status === "paused";
  if (filter === "running") return status === "running";
  return filter === "all" || isOver(status);
}

/** The picture of a run: an arrow to each task from those it needs, a dashed one to what its list or code began. */
export function graphOf(tasks: readonly GraphTask[]): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const drawn = new Map<string, number>();
  const known = new Set(tasks.map((task) => task.id));
  for (const task of tasks) {
    const parent = task.parent;
    if (parent !== undefined) {
      const count = (drawn.get(parent) ?? 0) + 1;
      drawn.set(parent, count);
      if (count > MOST_CHILDREN) continue;
      edges.push({ id: `${parent} began ${task.id}`, source: parent, target: task.id, dashed: true });
    }
    nodes.push(nodeOf(task));
    for (const source of task.needs)
      if (known.has(source)) edges.push({ id: `${source} to ${task.id}`, source, target: task.id });
  }
  for (const [parent, count] of drawn) if (count > MOST_CHILDREN) addRest(parent, count, nodes, edges);
  return { nodes, edges };
}

function nodeOf(task: GraphTask): GraphNode {
  return {
    id: task.id,
    label: `${stateMark(task.status)} ${task.id}`,
    tone: stateTone(task.status),
    shape: "round-rectangle",
    box: true,
    faded: task.status === "skipped" || task.status === "cancelled",
  };
}

function addRest(parent: string, count: number, nodes: GraphNode[], edges: GraphEdge[]): void {
  const id = `rest of ${parent}`;
  nodes.push({ id, label: `${count - MOST_CHILDREN} more`, shape: "tag", box: true, faded: true });
  edges.push({ id: `${parent} began ${id}`, source: parent, target: id, dashed: true });
}

/** A value as text: pretty JSON, and text as it is. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
}

/** A pattern for each argument that covers exactly this call: the signs that patterns know are bracketed. */
export function exactPatterns(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, patternText(value).replace(/[[*?]/g, "[$&]")]),
  );
}

/** Values as the server compares them with patterns: text as it is, all else as JSON with sorted keys and spaces. */
function patternText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  return jsonText(value);
}

function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${asciiJson(name)}: ${jsonText(member)}`).join(", ")}}`;
  }
  return asciiJson(value);
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value ?? null).replace(
    /[\u007f-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
