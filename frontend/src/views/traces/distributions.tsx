import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { Bar, Card, Chart, Grid, Loaded, Skeleton, Stat, Table } from "../../ui";
import { KindFilter, NoTraces } from "./decisions";
import { asKind, histogram, kindName } from "./model";

const LIMIT = 2000;

/** How scores are spread, and how well each signal tells useful candidates from others. */
export function Distributions({ kind }: { kind: string }) {
  const wanted = asKind(kind);
  const traces = useResource(
    (signal) =>
      answer(
        client.GET("/api/traces", {
          params: { query: wanted ? { kind: wanted, limit: LIMIT } : { limit: LIMIT } },
          signal,
        }),
      ),
    [wanted],
    ["traces"],
  );
  return (
    <div class="stack">
      <KindFilter kind={kind} />
      <Loaded of={traces} skeleton={<Skeleton height={260} />}>
        {(data) => {
          const bins = histogram(data.traces);
          if (data.traces.length === 0) return <NoTraces />;
          return (
            <Card title={`Scores of the last ${data.traces.length.toLocaleString("en")} candidates`}>
              <Chart
                label="Scores"
                x={bins.from}
                xLabel="Score from"
                xFormat={(value) => value.toFixed(2)}
                series={[
                  { label: "All", values: bins.all, kind: "bars", tone: "accent" },
                  { label: "Turned out useful", values: bins.useful, kind: "bars", tone: "good" },
                ]}
                height={220}
              />
            </Card>
          );
        }}
      </Loaded>
      <Stats kind={wanted} />
    </div>
  );
}

function Stats({ kind }: { kind: string | undefined }) {
  const stats = useResource((signal) => answer(client.GET("/api/trace-stats", { signal })), [], ["traces"]);
  return (
    <Loaded of={stats} skeleton={<Skeleton height={240} />}>
      {(data) => (
        <Grid min={480}>
          {data.kinds
            .filter((row) => kind === undefined || row.kind === kind)
            .map((row) => (
              <Card key={row.kind} title={kindName(row.kind)}>
                <dl class="traces-stats">
                  <Stat label="Decisions" value={row.scorings.toLocaleString("en")} />
                  <Stat
                    label="Useful"
                    value={row.useful === null ? "–" : `${Math.round(row.useful * 100)}%`}
                  />
                  <Stat label="Median time" value={row.p50_ms.toFixed(1)} unit="ms" />
                </dl>
                <Table
                  label={`Signals of ${kindName(row.kind)}`}
                  rows={row.signals}
                  rowKey={(signal) => signal.signal}
                  columns={[
                    { key: "signal", title: "Signal", render: (signal) => signal.signal },
                    {
                      key: "useful",
                      title: "Useful",
                      align: "end",
                      render: (signal) => signal.useful_mean?.toFixed(2) ?? "–",
                    },
                    {
                      key: "other",
                      title: "Others",
                      align: "end",
                      render: (signal) => signal.other_mean?.toFixed(2) ?? "–",
                    },
                    {
                      key: "auc",
                      title: "Separation",
                      width: "35%",
                      render: (signal) =>
                        signal.auc === null ? (
                          "–"
                        ) : (
                          <Bar
                            value={signal.auc}
                            label={`${signal.signal} separates useful from other candidates`}
                            text={signal.auc.toFixed(2)}
                          />
                        ),
                    },
                  ]}
                />
              </Card>
            ))}
        </Grid>
      )}
    </Loaded>
  );
}
