import type { components } from "../../api/schema";
import { Bar, Card, duration } from "../../ui";
import { percent, share } from "./figures";

/** Calls that ran ahead: how many were used, and what they saved and wasted. */
export function SpeculationCard({ savings }: { savings: components["schemas"]["SavingsOutput"] }) {
  const { total, enabled, trusted } = savings.speculation;
  if (total.predicted === 0) {
    return (
      <Card title="Calls that ran ahead">
        <p class="muted">
          {enabled && trusted.length > 0
            ? "No call has been predicted in the last 30 days."
            : "A tool that an agent will call next can run while it thinks. Nothing runs ahead until you trust a server."}
        </p>
        <p>
          <code>recollect gateway trust SERVER</code>
        </p>
      </Card>
    );
  }
  const rows = [
    {
      label: "Ran ahead",
      note: `${total.started} of ${total.predicted} predicted`,
      part: share(total.started, total.predicted),
    },
    {
      label: "Used",
      note: `${total.hits} of ${total.started} started`,
      part: share(total.hits, total.started),
    },
  ];
  return (
    <Card title="Calls that ran ahead">
      <ul class="speculation">
        {rows.map((row) => (
          <li key={row.label}>
            <div class="row">
              <span class="grow">{row.label}</span>
              <span class="faint">{row.note}</span>
            </div>
            <Bar value={row.part ?? 0} label={row.label} text={percent(row.part)} tone="good" />
          </li>
        ))}
      </ul>
      <p class="muted">
        Saved {duration(total.saved_ms)} of waiting; {duration(total.wasted_ms)} of calls were not used.
      </p>
    </Card>
  );
}
