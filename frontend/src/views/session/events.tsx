import { Badge, Card } from "../../ui";
import { eventTone, type SessionPage } from "./model";

const SHOWN = 100;

/** What was done and what failed, and what left working memory; the newest first. */
export function Events({ page }: { page: SessionPage }) {
  return (
    <Card title="Events" flush>
      {page.events.length === 0 && (
        <p class="session-none faint">No file was edited and no command failed yet.</p>
      )}
      <ol class="session-events" aria-label="Events">
        {page.events.slice(0, SHOWN).map((row) => (
          <li key={`${row.event} ${row.kind} ${row.text}`}>
            <span class="number faint">{row.event}</span>
            <Badge tone={eventTone(row.kind)}>{row.kind}</Badge>
            <span class="session-text">{row.text}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Where secrets were removed: the tool, the rule and the place. Values are stored nowhere. */
export function Redactions({ page }: { page: SessionPage }) {
  const { redacted, extracted } = page.session ?? { redacted: 0, extracted: 0 };
  return (
    <Card
      title="Removed secrets"
      actions={
        <span class="faint">
          {redacted} of {extracted} items
        </span>
      }
      flush
    >
      {page.redactions.length === 0 && (
        <p class="session-none faint">
          {redacted > 0
            ? "The items that contained secrets are no longer in working memory."
            : "No item of this session contained a secret."}
        </p>
      )}
      <ul class="session-items" aria-label="Removed secrets">
        {page.redactions.map((row) => (
          <li key={`${row.event} ${row.text}`}>
            <div class="row wrap">
              <Badge tone="warn" icon="lock">
                {row.kind}
              </Badge>
              <span class="faint">
                in the output of {row.tool}, tool call {row.event}, kept by the rule {row.rule}
              </span>
            </div>
            <div class="session-text">{row.text}</div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
