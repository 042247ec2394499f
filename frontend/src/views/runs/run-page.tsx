import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { useCommands } from "../../app/commands";
import { useShortcuts } from "../../app/keyboard";
import { may } from "../../app/project";
import { setQuery } from "../../app/router";
import { Button, Id, Link, Loaded, Page, Skeleton, StateBadge, Tabs } from "../../ui";
import { abort, answerForm, injectForm, replanForm, tryGive } from "./commands";
import { Decisions } from "./decisions";
import { EventLog } from "./event-log";
import { FormDialog, type FormSpec } from "./form-dialog";
import { Gantt } from "./gantt";
import { isOver, type Run } from "./model";
import { RunPicture } from "./run-picture";
import { TaskPanel } from "./task-panel";

const TABS = [
  { value: "graph", label: "Graph" },
  { value: "timeline", label: "Timeline" },
  { value: "events", label: "Events" },
] as const;

/** What a run is paused for and only a decision about a task ends. */
const NEEDS_DECISION: ReadonlySet<string> = new Set(["approval", "in_doubt", "missing_value"]);

export function RunPage({ run, query }: { run: string; query: URLSearchParams }) {
  const shown = useResource(
    (signal) => answer(client.GET("/api/runs/{run}", { params: { path: { run } }, signal })),
    [run],
    ["runs"],
  );
  const [form, setForm] = useState<FormSpec | null>(null);
  const data = shown.data;
  return (
    <Page
      wide
      title={data ? data.intent || "Run" : "Run"}
      subtitle={<Subtitle run={run} data={data} />}
      actions={data && !isOver(data.status) && may("runs.control") && <Actions data={data} ask={setForm} />}
    >
      <Loaded of={shown} skeleton={<Skeleton height={480} />}>
        {(loaded) => <Body data={loaded} query={query} ask={setForm} />}
      </Loaded>
      {form && <FormDialog key={form.title} spec={form} onClose={() => setForm(null)} />}
    </Page>
  );
}

function Subtitle({ run, data }: { run: string; data: Run | undefined }) {
  return (
    <div class="row wrap">
      <Link to="/runs">Runs</Link>
      <Id value={data?.run ?? run} />
      {data && <StateBadge state={data.status} />}
      {data && (
        <span class="number" aria-live="polite">
          {data.ended} of {data.total} tasks ended
        </span>
      )}
    </div>
  );
}

function Actions({ data, ask }: { data: Run; ask: (form: FormSpec) => void }) {
  const run = data.run;
  const paused = data.status === "paused";
  const decides = paused && NEEDS_DECISION.has(data.paused?.reason ?? "");
  const toggle = () =>
    paused
      ? void tryGive(run, "continue", {}, "The run continues.")
      : void tryGive(run, "pause", {}, "No further tasks will start.");
  const acts = [
    { id: "replan", label: "Replan…", run: () => ask(replanForm(run, data.intent)) },
    { id: "inject", label: "Add tasks…", run: () => ask(injectForm(run)) },
    { id: "answer", label: "Answer…", run: () => ask(answerForm(run)) },
  ];
  const pausing = { id: "run-pause", label: paused ? "Resume the run" : "Pause the run", run: toggle };
  useShortcuts(decides ? [] : [{ keys: "p", label: "Pause or resume", group: "Run", run: toggle }]);
  useCommands([
    ...(decides ? [] : [{ ...pausing, icon: "pause" as const, group: "Run" }]),
    ...acts.map((act) => ({ ...act, id: `run-${act.id}`, icon: "runs" as const, group: "Run" })),
    { id: "run-abort", label: "Abort the run", icon: "stop", group: "Run", run: () => void abort(run) },
  ]);
  return (
    <>
      {!decides && (
        <Button icon={paused ? "play" : "pause"} keys="p" onClick={toggle}>
          {paused ? "Resume" : "Pause"}
        </Button>
      )}
      {acts.map((act) => (
        <Button key={act.id} variant="quiet" onClick={act.run}>
          {act.label}
        </Button>
      ))}
      <Button variant="danger" icon="stop" onClick={() => void abort(run)}>
        Abort
      </Button>
    </>
  );
}

function Body({ data, query, ask }: { data: Run; query: URLSearchParams; ask: (form: FormSpec) => void }) {
  const tab = query.get("tab") ?? "graph";
  const ids = data.tasks.map((task) => task.id);
  const named = query.get("task") ?? undefined;
  const task = named !== undefined && ids.includes(named) ? named : undefined;
  const select = (id: string | undefined) => {
    setQuery({ task: id });
    if (id !== undefined) requestAnimationFrame(showPanel);
  };
  const move = (step: number) => {
    const next = ids[Math.max(0, Math.min(ids.length - 1, (task ? ids.indexOf(task) : -1) + step))];
    if (next) select(next);
  };
  useShortcuts([
    { keys: "j", label: "Next task", group: "Run", run: () => move(1) },
    { keys: "k", label: "Previous task", group: "Run", run: () => move(-1) },
  ]);
  const shared = { run: data.run, task, select };
  return (
    <>
      <Decisions data={data} ask={ask} />
      <div class="runs-body">
        <div class="runs-main">
          <Tabs
            label="Parts of the run"
            value={tab}
            onValue={(value) => setQuery({ tab: value === "graph" ? undefined : value })}
            tabs={TABS}
          >
            {tab === "timeline" && <Gantt {...shared} scale={query.get("scale") ?? "real"} />}
            {tab === "events" && <EventLog run={data.run} select={select} />}
            {tab !== "timeline" && tab !== "events" && <RunPicture {...shared} data={data} />}
          </Tabs>
        </div>
        <aside class="runs-aside" aria-label="Task">
          <TaskPanel run={data} task={task} ask={ask} />
        </aside>
      </div>
    </>
  );
}

/** Where the panel is below the rest, go to it. */
function showPanel(): void {
  if (matchMedia("(max-width: 1020px)").matches)
    document.querySelector(".runs-aside")?.scrollIntoView({ block: "start" });
}
