import { Badge, Bar, Card } from "../../ui";
import type { SessionPage } from "./model";

/** What the session pays attention to now. Attention fades with tool calls, not with time. */
export function WorkingMemory({ page }: { page: SessionPage }) {
  return (
    <Card title="Working memory" actions={<span class="faint">after {page.event} tool calls</span>} flush>
      {page.items.length === 0 && <p class="session-none faint">It is empty.</p>}
      <ul class="session-items" aria-live="polite" aria-label="Working memory">
        {page.items.map((item) => (
          <li key={item.content}>
            <div class="session-text">{item.content}</div>
            <Bar
              value={item.attention}
              label={`Attention of ${item.content.slice(0, 80)}`}
              text={item.attention.toFixed(2)}
            />
            <div class="row wrap">
              <Badge>{item.kind}</Badge>
              {item.redacted && (
                <Badge tone="warn" icon="lock">
                  secret removed
                </Badge>
              )}
              <span class="faint">
                {item.tool}, {ago(item.age)}
                {item.mentions > 0 && `, mentioned ${item.mentions} times`}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ago(calls: number): string {
  return calls === 0 ? "just now" : calls === 1 ? "1 tool call ago" : `${calls} tool calls ago`;
}
