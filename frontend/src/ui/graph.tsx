import { useEffect, useRef, useState } from "preact/hooks";
import { theme } from "../app/theme";
import { IconButton } from "./controls";
import type { Tone } from "./display";
import { started } from "./graph-arranger";
import type { DrawnGraph } from "./graph-canvas";
import "./graph.css";

const FAILURE = "The graph could not be drawn. The list beside it has the same content.";

export interface GraphNode {
  readonly id: string;
  readonly label: string;
  readonly tone?: Tone;
  /** The compound node that contains this one. */
  readonly parent?: string | undefined;
  readonly shape?: "ellipse" | "round-rectangle" | "diamond" | "hexagon" | "tag";
  /** Drawn as a box around its label. */
  readonly box?: boolean;
  /** Relative size, 1 unless set. */
  readonly size?: number;
  /** Shown dimmed: retired, not reached. */
  readonly faded?: boolean;
  /** Not shown, but it keeps its place. */
  readonly hidden?: boolean;
}

export interface GraphEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly label?: string;
  readonly tone?: Tone;
  readonly dashed?: boolean;
  /** Not shown, but it keeps its place. */
  readonly hidden?: boolean;
  /** Without an arrow: neither end comes first. */
  readonly plain?: boolean;
}

export interface GraphProps {
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** "force" for webs (compound nodes too), "flow" for what runs from left to right. */
  readonly layout: "force" | "flow";
  readonly selected?: string | undefined;
  /** Ids of nodes and edges drawn strongly; the rest is dimmed. Empty: all alike. */
  readonly highlighted?: ReadonlySet<string>;
  readonly onSelect?: (id: string | undefined) => void;
  /** Double click, or Enter on a selected node. */
  readonly onOpen?: (id: string) => void;
  readonly height?: number;
}

/** Load what draws graphs while a view waits for its data. */
export function prepareGraph(): void {
  started();
  import("./graph-canvas").catch(() => undefined); // `Graph` says so where it is shown
}

/** A graph on a canvas. Whoever uses it lists the same nodes and links as text beside it, for those who cannot see it. */
export function Graph(props: GraphProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnGraph | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [failure, setFailure] = useState("");
  const [ready, setReady] = useState(false);
  const shade = theme.value;

  useEffect(() => {
    let gone = false;
    import("./graph-canvas").then(
      ({ drawGraph }) => {
        if (gone || !frame.current) return;
        drawn.current = drawGraph(frame.current, {
          select: (id) => latest.current.onSelect?.(id),
          open: (id) => latest.current.onOpen?.(id),
          fail: () => setFailure(FAILURE),
        });
        setReady(true);
      },
      () => setFailure(FAILURE),
    );
    return () => {
      gone = true;
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, []);

  const { nodes, edges, layout, selected, highlighted } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ready` and `shade` call for drawing the same content again
  useEffect(() => drawn.current?.show(nodes, edges, layout), [nodes, edges, layout, ready]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => drawn.current?.restyle(), [shade, ready]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(
    () => drawn.current?.mark(selected, highlighted ?? new Set()),
    [selected, highlighted, nodes, ready],
  );

  return (
    <div class="graph" style={props.height ? { height: `${props.height}px` } : {}}>
      <div
        class="graph-canvas"
        ref={frame}
        role="img"
        aria-label={`${props.label}: ${visible(nodes)} nodes, ${visible(edges)} links`}
      />
      {failure && <p class="graph-failure muted">{failure}</p>}
      <div class="graph-buttons">
        <IconButton size="small" icon="plus" label="Zoom in" onClick={() => drawn.current?.zoom(1.35)} />
        <IconButton
          size="small"
          icon="minus"
          label="Zoom out"
          onClick={() => drawn.current?.zoom(1 / 1.35)}
        />
        <IconButton size="small" icon="expand" label="Show all" onClick={() => drawn.current?.fit()} />
      </div>
    </div>
  );
}

function visible(elements: readonly { readonly hidden?: boolean }[]): number {
  return elements.filter((element) => !element.hidden).length;
}
