import type { ComponentType } from "preact";
import type { IconName } from "../ui/icons";

/** What a view gets: the rest of its path (`/memories/ID` gives ["ID"]) and the query of the address. */
export interface ViewProps {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export interface View {
  /** The first segment of its address; the overview is at "/". */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** The letter after `g` that goes there. */
  readonly key: string;
  readonly load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

export const VIEWS: readonly View[] = [
  { name: "", title: "Overview", icon: "overview", key: "o", load: () => import("./overview") },
  { name: "memories", title: "Memories", icon: "memories", key: "m", load: () => import("./memories") },
  { name: "review", title: "Review", icon: "review", key: "r", load: () => import("./review") },
  { name: "session", title: "Session", icon: "session", key: "s", load: () => import("./session") },
  { name: "graph", title: "Graph", icon: "graph", key: "g", load: () => import("./graph") },
  { name: "tools", title: "Tools", icon: "tools", key: "t", load: () => import("./tools") },
  { name: "runs", title: "Runs", icon: "runs", key: "u", load: () => import("./runs") },
  { name: "traces", title: "Traces", icon: "traces", key: "e", load: () => import("./traces") },
];

export function viewPath(view: View): string {
  return `/${view.name}`;
}

export function viewOf(segments: readonly string[]): View | undefined {
  return VIEWS.find((view) => view.name === (segments[0] ?? ""));
}
