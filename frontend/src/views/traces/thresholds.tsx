import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { Card, Chart, Grid, Loaded, Skeleton, Stat } from "../../ui";
import { course, kindName, type Threshold } from "./model";

/** The thresholds that adapt to this project, and how they moved. */
export function Thresholds() {
  const thresholds = useResource(
    (signal) => answer(client.GET("/api/thresholds", { signal })),
    [],
    ["traces", "session"],
  );
  return (
    <Loaded of={thresholds} skeleton={<Skeleton height={320} />}>
      {(data) => (
        <Grid min={480}>
          {data.thresholds.map((threshold) => (
            <One key={threshold.kind} threshold={threshold} />
          ))}
        </Grid>
      )}
    </Loaded>
  );
}

function One({ threshold }: { threshold: Threshold }) {
  const { x, values } = course(threshold);
  const { success } = threshold;
  return (
    <Card title={kindName(threshold.kind)}>
      <dl class="traces-stats">
        <Stat
          label="Now"
          value={threshold.value.toFixed(3)}
          note={`${threshold.lowest.toFixed(2)} to ${threshold.highest.toFixed(2)}`}
        />
        <Stat label="At the start" value={threshold.start.toFixed(2)} />
        <Stat
          label="Success"
          value={success === null ? "–" : `${Math.round(success * 100)}%`}
          note={`${threshold.executions.toLocaleString("en")} executions; the target is 85%`}
        />
      </dl>
      {threshold.history.length === 0 ? (
        <p class="faint">It has not moved yet: it moves when decisions turn out right or wrong.</p>
      ) : (
        <Chart
          label={`Threshold of ${kindName(threshold.kind)}`}
          x={x}
          time
          series={[{ label: "Threshold", values, kind: "line", format: (value) => value.toFixed(2) }]}
        />
      )}
    </Card>
  );
}
