import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { navigate, pathTo, setQuery } from "../../app/router";
import {
  Badge,
  Bar,
  Button,
  Card,
  EmptyState,
  Id,
  Loaded,
  Select,
  Skeleton,
  StackedBar,
  Table,
  Time,
  type Tone,
} from "../../ui";
import {
  asKind,
  type FullTrace,
  KIND_CHOICES,
  kindName,
  type ScoringRow,
  scorings,
  signalParts,
} from "./model";

/** The last decisions, and the signals of the one that is open. */
export function Decisions({ scoring, kind }: { scoring: string | undefined; kind: string }) {
  const wanted = asKind(kind);
  const traces = useResource(
    (signal) =>
      answer(
        client.GET("/api/traces", {
          params: { query: wanted ? { kind: wanted, limit: 500 } : { limit: 500 } },
          signal,
        }),
      ),
    [wanted],
    ["traces"],
  );
  return (
    <div class="stack">
      {scoring && <Decision scoring={scoring} />}
      <KindFilter kind={kind} />
      <Loaded of={traces} skeleton={<Skeleton height={360} />}>
        {(data) =>
          data.traces.length === 0 ? <NoTraces /> : <List rows={scorings(data.traces)} selected={scoring} />
        }
      </Loaded>
    </div>
  );
}

export function KindFilter({ kind }: { kind: string }) {
  return (
    <div class="traces-filter">
      <Select
        label="Decisions"
        value={asKind(kind) ?? ""}
        onValue={(value) => setQuery({ kind: value })}
        choices={[{ value: "", label: "All decisions" }, ...KIND_CHOICES]}
      />
    </div>
  );
}

function List({ rows, selected }: { rows: readonly ScoringRow[]; selected: string | undefined }) {
  const query = window.location.search;
  return (
    <Card flush>
      <Table
        label="Decisions"
        rows={rows.slice(0, 100)}
        rowKey={(row) => row.best.scoring}
        selected={selected}
        onOpen={(row) => navigate(pathTo("traces", row.best.scoring) + query)}
        columns={[
          { key: "at", title: "When", render: (row) => <Time at={row.best.at} />, minor: true },
          { key: "kind", title: "Decision", render: (row) => kindName(row.best.kind), minor: true },
          { key: "candidate", title: "Best candidate", render: (row) => row.best.candidate },
          { key: "others", title: "Others", align: "end", minor: true, render: (row) => row.candidates - 1 },
          { key: "score", title: "Score", align: "end", render: (row) => scoreText(row.best) },
          { key: "decision", title: "Result", render: (row) => <Result trace={row.best} /> },
        ]}
      />
    </Card>
  );
}

function scoreText(trace: { score: number; threshold: number | null }): string {
  const needed = trace.threshold === null ? "" : ` of ${trace.threshold.toFixed(2)}`;
  return `${trace.score.toFixed(2)}${needed}`;
}

function Result({ trace }: { trace: { decision: string; outcome: string | null } }) {
  const tone: Tone =
    trace.outcome === "selected" || trace.outcome === "succeeded"
      ? "good"
      : trace.outcome
        ? "warn"
        : "neutral";
  return (
    <Badge tone={tone}>
      {trace.decision.replaceAll("_", " ")}
      {trace.outcome && `, ${trace.outcome}`}
    </Badge>
  );
}

function Decision({ scoring }: { scoring: string }) {
  const trace = useResource(
    (signal) => answer(client.GET("/api/traces/{scoring}", { params: { path: { scoring } }, signal })),
    [scoring],
    ["traces"],
  );
  return (
    <Card
      title="Signals of one decision"
      label="Signals of one decision"
      actions={
        <Button size="small" variant="quiet" icon="close" onClick={() => navigate("/traces")}>
          Close
        </Button>
      }
    >
      <Loaded of={trace} skeleton={<Skeleton height={160} />}>
        {(data) => (
          <div class="stack">
            {data.candidates.map((candidate) => (
              <Candidate key={candidate.candidate} trace={candidate} params={data.params} />
            ))}
            <details class="traces-params">
              <summary>{Object.keys(data.params).length} parameters</summary>
              <dl class="properties">
                {Object.entries(data.params).map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd class="number">{value}</dd>
                  </div>
                ))}
              </dl>
            </details>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Candidate({ trace, params }: { trace: FullTrace; params: Readonly<Record<string, number>> }) {
  return (
    <div class="traces-candidate">
      <div class="row wrap">
        <Id value={trace.candidate} />
        <Result trace={trace} />
        <span class="faint">
          {kindName(trace.kind)}, <Time at={trace.at} />, {trace.milliseconds.toFixed(1)} ms
        </span>
      </div>
      <Bar
        value={trace.score}
        max={Math.max(1, trace.score)}
        label={`Score of ${trace.candidate}`}
        text={`score ${scoreText(trace)}`}
      />
      <StackedBar parts={signalParts(trace, params)} label={`Signals of ${trace.candidate}`} />
    </div>
  );
}

export function NoTraces() {
  return (
    <EmptyState icon="traces" title="No traces yet">
      Each decision to add a memory or to suggest a tool leaves a trace: its signals, its score and the
      threshold. The setting <code>learning.traces</code> switches them on.
    </EmptyState>
  );
}
