import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import {
  Bar,
  Card,
  type Column,
  compact,
  duration,
  EmptyState,
  Grid,
  Id,
  Loaded,
  Skeleton,
  Stat,
  Table,
} from "../../ui";
import type { Receipts } from "./model";

type Row = Receipts["servers"][number]["by_tool"][number] & { readonly server: string };

const COLUMNS: readonly Column<Row>[] = [
  { key: "tool", title: "Tool", render: (row) => <Id value={`${row.server}:${row.tool}`} /> },
  { key: "calls", title: "Calls", align: "end", render: (row) => compact(row.calls) },
  {
    key: "errors",
    title: "Errors",
    align: "end",
    render: (row) => row.tool_errors + row.bad_arguments + row.server_failures,
  },
  { key: "p50", title: "p50", align: "end", minor: true, render: (row) => time(row.p50_ms) },
  { key: "p95", title: "p95", align: "end", minor: true, render: (row) => time(row.p95_ms) },
  { key: "used", title: "Tokens used", align: "end", minor: true, render: (row) => compact(row.used_tokens) },
  { key: "saved", title: "Tokens saved", align: "end", render: (row) => compact(row.saved_tokens) },
  {
    key: "reliability",
    title: "Reliability",
    width: "160px",
    minor: true,
    render: (row) => (
      <Bar
        value={row.reliability}
        label={`Reliability of ${row.tool}`}
        text={`${Math.round(row.reliability * 100)}%`}
        tone={row.reliability > 0.9 ? "good" : "warn"}
      />
    ),
  },
];

function time(milliseconds: number | null): string {
  return milliseconds === null ? "–" : duration(milliseconds);
}

/** What tools cost and how well they worked in a month. */
export function ReceiptsTable() {
  const receipts = useResource((signal) => answer(client.GET("/api/receipts", { signal })), [], ["tools"]);
  return (
    <Loaded of={receipts} skeleton={<Skeleton height={360} />}>
      {(data) => {
        const rows = data.servers.flatMap((server) =>
          server.by_tool.map((row) => ({ ...row, server: server.server })),
        );
        return rows.length ? <Listed data={data} rows={rows} /> : <NoCalls />;
      }}
    </Loaded>
  );
}

function Listed({ data, rows }: { data: Receipts; rows: readonly Row[] }) {
  const sum = (value: (row: Row) => number) => rows.reduce((total, row) => total + value(row), 0);
  return (
    <div class="stack">
      <Grid min={180}>
        <Card>
          <dl>
            <Stat label="Calls" value={compact(sum((row) => row.calls))} note={`since ${data.since}`} />
          </dl>
        </Card>
        <Card>
          <dl>
            <Stat
              label="Tokens used"
              value={compact(sum((row) => row.used_tokens))}
              note="by arguments and replies"
            />
          </dl>
        </Card>
        <Card>
          <dl>
            <Stat
              label="Tokens saved"
              tone="good"
              value={compact(sum((row) => row.saved_tokens))}
              note="by the vault and projections"
            />
          </dl>
        </Card>
      </Grid>
      {data.switch_off.length > 0 && (
        <p class="muted">
          No one called {data.switch_off.map((server) => server.server).join(", ")}; listing{" "}
          {data.switch_off.length === 1 ? "it" : "them"} would cost each conversation{" "}
          {compact(data.switch_off.reduce((total, server) => total + server.schema_tokens, 0))} tokens.
        </p>
      )}
      <Card flush>
        <Table
          label="Receipts"
          columns={COLUMNS}
          rows={[...rows].sort((a, b) => b.used_tokens - a.used_tokens)}
          rowKey={(row) => `${row.server}:${row.tool}`}
        />
      </Card>
    </div>
  );
}

function NoCalls() {
  return (
    <EmptyState icon="tools" title="No calls in this month">
      Each call of a tool leaves a receipt: how long it took, what it cost, and what the vault saved.
    </EmptyState>
  );
}
