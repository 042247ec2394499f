import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import type { components } from "../../api/schema";
import { Badge, Button, Card, Code, EmptyState, Loaded, Skeleton } from "../../ui";

const PAGE = 60;
type LoggedEvent = components["schemas"]["LoggedEvent"];

/** The events of the run, the newest first; new ones appear on top. */
export function EventLog({ run, select }: { run: string; select: (id: string) => void }) {
  const [limit, setLimit] = useState(PAGE);
  const log = useResource(
    (signal) =>
      answer(client.GET("/api/runs/{run}/log", { params: { path: { run }, query: { limit } }, signal })),
    [run, limit],
    ["runs"],
  );
  return (
    <Card flush label="Events">
      <Loaded of={log} skeleton={<Skeleton height={360} />}>
        {(data) =>
          data.events.length ? (
            <>
              <ol class="runs-events" reversed>
                {data.events.map((event) => (
                  <EventLine key={event.number} event={event} select={select} />
                ))}
              </ol>
              {data.before !== null && <More limit={limit} more={setLimit} />}
            </>
          ) : (
            <EmptyState icon="runs" title="No events" />
          )
        }
      </Loaded>
    </Card>
  );
}

function More({ limit, more }: { limit: number; more: (limit: number) => void }) {
  if (limit >= 500)
    return (
      <p class="faint runs-more">
        Earlier events are in <code>recollect run export</code>.
      </p>
    );
  return (
    <div class="runs-more">
      <Button variant="quiet" onClick={() => more(Math.min(500, limit * 2))}>
        Show earlier events
      </Button>
    </div>
  );
}

function EventLine({ event, select }: { event: LoggedEvent; select: (id: string) => void }) {
  const [open, setOpen] = useState(false);
  const name = event.name.replaceAll("_", " ");
  return (
    <li>
      <div class="runs-event">
        <span class="faint number">{event.number}</span>
        <time class="faint number" dateTime={event.at}>
          {event.at.slice(11, 23)}
        </time>
        <span class="grow row wrap">
          <span>{name}</span>
          {event.task && (
            <Button size="small" variant="quiet" onClick={() => select(event.task)}>
              {event.task}
            </Button>
          )}
          {event.redacted.length > 0 && (
            <Badge tone="debt" icon="lock" title={event.redacted.join(", ")}>
              {event.redacted.length} redacted
            </Badge>
          )}
        </span>
        {event.details && (
          <Button
            size="small"
            variant="quiet"
            aria-expanded={open}
            aria-label={`Details of event ${event.number}`}
            icon={open ? "chevron-down" : "chevron-right"}
            onClick={() => setOpen(!open)}
          />
        )}
      </div>
      {open && (
        <div class="runs-event-details">
          <Code text={event.details + (event.cut ? "\n…" : "")} label={`event ${event.number}`} wrap />
        </div>
      )}
    </li>
  );
}
