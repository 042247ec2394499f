import { type GraphMap, legendRows } from "./model";
import { acts, type GraphState } from "./state";

/** What the colours mean. A button hides or shows its kind. */
export function Legend({ map, state }: { map: GraphMap; state: GraphState }) {
  if (map.level === "communities")
    return (
      <p class="graph-legend faint">
        Each circle is a community, named after its most linked member. Open one to see its members.
      </p>
    );
  const rows = legendRows(map);
  return (
    <div class="graph-legend">
      {(["nodes", "links"] as const).map((of) => (
        <div key={of} class="graph-legend-group" role="group" aria-label={of === "nodes" ? "Kinds" : "Links"}>
          {rows
            .filter((row) => row.of === of)
            .map((row) => (
              <button
                key={row.key}
                type="button"
                class="graph-legend-button"
                aria-pressed={!state.hidden.includes(row.key)}
                onClick={() => acts.toggle(state, row.key)}
              >
                <span class={of === "nodes" ? "swatch" : "swatch line"} data-tone={row.tone} />
                {row.label} <span class="number faint">{row.count}</span>
              </button>
            ))}
        </div>
      ))}
      <button
        type="button"
        class="graph-legend-button"
        aria-pressed={state.grouped}
        onClick={() => acts.group(!state.grouped)}
      >
        Group by community
      </button>
    </div>
  );
}
