import type { components } from "../../api/schema";
import { Bar, Card, CategoryBadge, Chart, categoryTone, compact, Link, Table } from "../../ui";
import { daySeconds, doorName, growthLine } from "./figures";

type Overview = components["schemas"]["OverviewOutput"];

const HEIGHT = 210;

export function InjectionCard({ overview }: { overview: Overview }) {
  const days = overview.injections;
  return (
    <Card title="Memories added to prompts">
      <Chart
        label="Injections per day"
        x={days.map((day) => daySeconds(day.day))}
        time
        height={HEIGHT}
        series={[
          {
            label: "Added",
            values: days.map((day) => day.injections),
            kind: "bars",
            tone: "accent",
            soft: true,
          },
          { label: "Used", values: days.map((day) => day.used), kind: "bars", tone: "accent" },
        ]}
      />
    </Card>
  );
}

export function GrowthCard({ overview, today }: { overview: Overview; today: string }) {
  const line = growthLine(overview.growth, today);
  return (
    <Card title="Growth">
      <Chart
        label="Memories"
        x={line.x}
        time
        height={HEIGHT}
        series={[{ label: "Memories", values: line.values, kind: "area", tone: "preference" }]}
      />
    </Card>
  );
}

/** How many memories of each category are in force. */
export function CategoryCard({ overview }: { overview: Overview }) {
  const most = Math.max(1, ...overview.categories.map((row) => row.memories));
  return (
    <Card title="What is remembered">
      <ul class="categories">
        {overview.categories.map((row) => (
          <li key={row.category}>
            <Link to={`/memories?category=${encodeURIComponent(row.category)}`}>
              <CategoryBadge category={row.category} />
            </Link>
            <Bar
              value={row.memories}
              max={most}
              label={`${row.category}: ${row.memories} memories`}
              text={compact(row.memories)}
              tone={categoryTone(row.category)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** How long each door takes: half of the last calls, and 95% of them. */
export function LatencyCard({ overview }: { overview: Overview }) {
  const most = Math.max(1, ...overview.latency.map((row) => row.p95_ms));
  return (
    <Card title="Latency" flush={overview.latency.length > 0}>
      {overview.latency.length === 0 ? (
        <p class="muted">No hook has run in this project yet. `recollect init` connects an agent.</p>
      ) : (
        <Table
          label="Latency by entry point"
          rows={overview.latency}
          rowKey={(row) => row.door}
          columns={[
            { key: "door", title: "Entry point", render: (row) => doorName(row.door) },
            { key: "p50", title: "Median", align: "end", render: (row) => `${row.p50_ms.toFixed(1)} ms` },
            { key: "p95", title: "95%", align: "end", render: (row) => `${row.p95_ms.toFixed(1)} ms` },
            {
              key: "bar",
              title: "",
              minor: true,
              width: "22%",
              render: (row) => (
                <Bar value={row.p95_ms} max={most} label={`${doorName(row.door)}, 95%`} tone="decision" />
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
