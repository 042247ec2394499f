import { pathTo } from "../../app/router";
import { Badge, Bar, Card, Link, Time } from "../../ui";
import { type InjectionRow, signalRows } from "./model";

const SHOWN = 50;

/** What the prompts of the session were given, and how the gate came to that. */
export function Injections({ rows }: { rows: readonly InjectionRow[] }) {
  return (
    <Card title="Added to prompts" actions={<span class="faint">{rows.length}</span>} flush>
      {rows.length === 0 && (
        <p class="session-none faint">No memory was relevant enough to a prompt of this session.</p>
      )}
      <ul class="session-items" aria-label="Added to prompts">
        {rows.slice(0, SHOWN).map((row) => (
          <Injection key={`${row.memory} ${row.at}`} row={row} />
        ))}
      </ul>
      {rows.length > SHOWN && (
        <p class="session-none faint">{rows.length - SHOWN} older ones are not shown.</p>
      )}
    </Card>
  );
}

function Injection({ row }: { row: InjectionRow }) {
  const signals = signalRows(row.signals);
  const needed = row.threshold === null ? "" : `; the threshold was ${row.threshold.toFixed(2)}`;
  return (
    <li>
      <div class="row">
        <Link class="grow session-text" to={pathTo("memories", row.memory)}>
          {row.title ?? row.memory}
        </Link>
        {row.used ? <Badge tone="good">{row.used}</Badge> : <Badge>not used</Badge>}
      </div>
      <Bar
        value={row.probability}
        label={`Probability that ${row.title ?? row.memory} is useful`}
        text={`${Math.round(row.probability * 100)}%`}
        tone="good"
      />
      <div class="faint">
        <Time at={row.at} />: useful with probability {row.probability.toFixed(2)}
        {needed}
        {row.scoring && (
          <>
            {" · "}
            <Link to={pathTo("traces", row.scoring)}>trace</Link>
          </>
        )}
      </div>
      {signals.length > 0 && (
        <details>
          <summary>
            Why<span class="visually-hidden"> was {row.title ?? row.memory} given</span>
          </summary>
          <ul class="session-signals">
            {signals.map(({ name, value }) => (
              <li key={name}>
                <span>{name}</span>
                <Bar value={value} label={name} text={value.toFixed(2)} tone="decision" />
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
