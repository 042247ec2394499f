import type { components } from "../../api/schema";
import type { GraphEdge, GraphNode } from "../../ui";

export type Capability = components["schemas"]["CapabilityRow"];
export type OfferedTool = components["schemas"]["OfferedTool"];
export type ToolReview = components["schemas"]["ToolReview"];
export type Server = components["schemas"]["ServerRow"];
export type Receipts = components["schemas"]["ReceiptsOutput"];

/** What a node of the picture stands for: a capability, or a tool inside one. */
export interface Place {
  readonly capability: string;
  readonly tool?: string;
}

export function nodeId({ capability, tool }: Place): string {
  return tool === undefined ? `capability ${capability}` : `${capability} has ${tool}`;
}

export interface Picture {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly places: ReadonlyMap<string, Place>;
}

/** Capabilities as boxes that contain their tools. A tool of several is in each; a closed box is one node. */
export function pictureOf(capabilities: readonly Capability[], closed: ReadonlySet<string>): Picture {
  const nodes: GraphNode[] = [];
  const places = new Map<string, Place>();
  for (const { name, tools, stale } of capabilities) {
    const parent = nodeId({ capability: name });
    const isClosed = closed.has(name) || tools.length === 0;
    places.set(parent, { capability: name });
    const label = isClosed ? `${name} (${tools.length})` : name;
    nodes.push({
      id: parent,
      label,
      tone: stale.length ? "warn" : "accent",
      shape: "round-rectangle",
      box: isClosed,
    });
    if (isClosed) continue;
    for (const tool of tools) {
      const id = nodeId({ capability: name, tool });
      places.set(id, { capability: name, tool });
      nodes.push({
        id,
        label: tool,
        parent,
        tone: stale.includes(tool) ? "warn" : "neutral",
        shape: "round-rectangle",
        box: true,
      });
    }
  }
  return { nodes, edges: [], places };
}

/** The nodes that show a tool, in every open capability that has it; closed ones stand for their tools. */
export function copiesOf(
  tool: string,
  capabilities: readonly Capability[],
  closed: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    capabilities
      .filter((each) => each.tools.includes(tool))
      .map(({ name }) => nodeId(closed.has(name) ? { capability: name } : { capability: name, tool })),
  );
}

/** The command that runs a capability in a terminal. */
export function commandOf(name: string, values: Readonly<Record<string, unknown>>): string {
  const sets = Object.entries(values).map(
    ([key, value]) => ` --set ${quoted(`${key}=${JSON.stringify(value)}`)}`,
  );
  return `recollect capability run ${name}${sets.join("")}`;
}

function quoted(text: string): string {
  return /^[\w=.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Names in an address, separated by commas. */
export function names(text: string | null): ReadonlySet<string> {
  return new Set((text ?? "").split(",").filter(Boolean));
}
