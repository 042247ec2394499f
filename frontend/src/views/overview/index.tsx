import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { type Resource, useResource } from "../../api/resource";
import type { components } from "../../api/schema";
import { project, projectName } from "../../app/project";
import { compact, EmptyState, Loaded, Page, Skeleton, Stat } from "../../ui";
import { Attention } from "./attention";
import { CategoryCard, GrowthCard, InjectionCard, LatencyCard } from "./charts";
import { newSince, percent, promptLatency } from "./figures";
import { HealthCard, HealthStat } from "./health";
import { SpeculationCard } from "./speculation";
import "./overview.css";

type Schemas = components["schemas"];

const MOST_EXAMINED = 2000; // reading every file takes a second for 2,000; beyond, a person asks for it

/** The state of the project at a glance: is it well, does it help, and what waits for a person. */
export default function Overview() {
  const overview = useResource(
    (signal) => answer(client.GET("/api/overview", { signal })),
    [],
    ["memories", "session"],
  );
  const savings = useResource((signal) => answer(client.GET("/api/savings", { signal })), [], ["tools"]);
  const [asked, setAsked] = useState(false);
  const examines = asked || (overview.data !== undefined && overview.data.memories <= MOST_EXAMINED);
  const health = useResource(
    examines ? (signal: AbortSignal) => answer(client.GET("/api/health", { signal })) : null,
    [],
    [],
  );
  const waiting = useResource(
    (signal) => answer(client.GET("/api/attention", { signal })),
    [],
    ["review", "runs", "tools", "memories", "session"],
  );
  if (overview.data?.memories === 0) return <NoMemories />;
  return (
    <Page title="Overview" subtitle={<ProjectLine />}>
      <Loaded of={overview} skeleton={<Skeleton height={108} />}>
        {(data) => <Figures overview={data} savings={savings} health={health} examines={examines} />}
      </Loaded>
      <div class="overview-grid">
        <div class="overview-main">
          <Loaded of={overview} skeleton={<Skeleton height={306} />}>
            {(data) => <InjectionCard overview={data} />}
          </Loaded>
        </div>
        <Attention waiting={waiting} />
        <div class="overview-main">
          <Loaded of={overview} skeleton={<Skeleton height={306} />}>
            {(data) => <GrowthCard overview={data} today={today()} />}
          </Loaded>
        </div>
        <Loaded of={overview} skeleton={<Skeleton height={306} />}>
          {(data) => <CategoryCard overview={data} />}
        </Loaded>
      </div>
      <div class="overview-thirds">
        <Loaded of={overview} skeleton={<Skeleton height={337} />}>
          {(data) => <LatencyCard overview={data} />}
        </Loaded>
        <Loaded of={savings} skeleton={<Skeleton height={337} />}>
          {(data) => <SpeculationCard savings={data} />}
        </Loaded>
        <HealthCard health={health} examine={examines ? undefined : () => setAsked(true)} />
      </div>
    </Page>
  );
}

function Figures({
  overview,
  savings,
  health,
  examines,
}: {
  overview: Schemas["OverviewOutput"];
  savings: Resource<Schemas["SavingsOutput"]>;
  health: Resource<Schemas["DoctorOutput"]>;
  examines: boolean;
}) {
  const latency = promptLatency(overview.latency);
  const injections = overview.injections.reduce((sum, day) => sum + day.injections, 0);
  return (
    <dl class="figures">
      <Stat
        label="Memories in force"
        value={compact(overview.in_force)}
        note={`${newSince(overview.growth, today(), 7)} new this week, ${compact(overview.memories)} in total`}
      />
      <Stat
        label="Used when added"
        value={percent(overview.use_rate)}
        note={`of ${compact(injections)} injections in 30 days`}
      />
      <Stat
        label="Prompt latency"
        value={latency ? latency.p95_ms.toFixed(0) : "–"}
        unit={latency ? "ms" : ""}
        note={latency ? `95th percentile of ${compact(latency.calls)} calls` : "no hook has run yet"}
      />
      <Stat
        label="Tokens saved"
        value={savings.data ? compact(savings.data.saved_tokens) : "–"}
        note={savings.data ? `in ${compact(savings.data.calls)} tool calls in 30 days` : " "}
      />
      <HealthStat health={health} examines={examines} />
    </dl>
  );
}

function ProjectLine() {
  const shown = project.value;
  if (!shown) return <span>{"\u00a0"}</span>;
  const search = shown.model ? `search by words and meaning (${shown.model})` : "search by words";
  return (
    <span title={shown.folder}>
      {projectName(shown)} · {search} · version {shown.version}
    </span>
  );
}

function NoMemories() {
  return (
    <Page title="Overview">
      <EmptyState icon="memories" title="This project has no memories yet">
        <p>
          A memory is a decision, a constraint, a preference, a runbook or tech debt, with its reason. Save
          the first one with <code>recollect save</code>, import some with <code>recollect import</code>, or
          connect your agent with <code>recollect init</code>.
        </p>
      </EmptyState>
    </Page>
  );
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
