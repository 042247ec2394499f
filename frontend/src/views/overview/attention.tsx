import type { Resource } from "../../api/resource";
import type { components } from "../../api/schema";
import { Card, Icon, type IconName, Link, Loaded, Skeleton } from "../../ui";
import { placeOf } from "./figures";

type Row = components["schemas"]["AttentionRow"];

const ICONS: Readonly<Record<string, IconName>> = {
  drafts: "review",
  unused: "memories",
  runs: "runs",
  tools: "lock",
  settings: "warning",
};

/** What waits for a person, each with the way to it. */
export function Attention({ waiting }: { waiting: Resource<components["schemas"]["AttentionOutput"]> }) {
  return (
    <Card title="Needs attention">
      <Loaded of={waiting} skeleton={<Skeleton lines={4} />}>
        {(data) =>
          data.items.length === 0 ? (
            <div class="calm muted">
              <Icon name="check" size={22} />
              <p>Nothing is waiting for you.</p>
            </div>
          ) : (
            <ul class="attention">
              {data.items.map((row) => (
                <li key={row.kind}>
                  <AttentionLine row={row} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function AttentionLine({ row }: { row: Row }) {
  const place = placeOf(row.kind);
  const content = (
    <>
      <span class="attention-icon">
        <Icon name={ICONS[row.kind] ?? "warning"} />
      </span>
      <span class="grow">
        <strong class="number">{row.count.toLocaleString("en")}</strong> {row.text}
      </span>
      {place && <Icon name="chevron-right" size={16} />}
    </>
  );
  if (place) {
    return (
      <Link to={place} class="attention-row">
        {content}
      </Link>
    );
  }
  return <div class="attention-row">{content}</div>;
}
