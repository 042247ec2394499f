import { useMemo } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { Card, type Column, duration, Graph, Id, Loaded, Skeleton, StateBadge, Table } from "../../ui";
import { type GraphTask, graphOf, type Run } from "./model";

const MOST_ROWS = 200;
type TaskRow = Run["tasks"][number];

const COLUMNS: readonly Column<TaskRow>[] = [
  { key: "state", title: "State", render: (task) => <StateBadge state={task.status} />, width: "1%" },
  { key: "task", title: "Task", render: (task) => <b>{task.id}</b> },
  { key: "tool", title: "Tool", render: (task) => <Id value={task.tool} />, minor: true },
  { key: "tries", title: "Attempts", render: (task) => task.attempts, align: "end", minor: true },
  {
    key: "time",
    title: "Time",
    render: (task) => (task.milliseconds ? duration(task.milliseconds) : ""),
    align: "end",
  },
];

interface PictureProps {
  readonly run: string;
  readonly data: Run;
  readonly task: string | undefined;
  readonly select: (id: string | undefined) => void;
}

/** The graph of the run by state, and the same tasks as a table. */
export function RunPicture({ run, data, task, select }: PictureProps) {
  const graph = useResource(
    (signal) => answer(client.GET("/api/runs/{run}/graph", { params: { path: { run } }, signal })),
    [run],
    ["runs"],
  );
  const rows = data.tasks.slice(0, MOST_ROWS);
  return (
    <div class="stack">
      <Loaded of={graph} skeleton={<Skeleton height={360} />}>
        {(drawn) => <Picture tasks={drawn.tasks} task={task} select={select} />}
      </Loaded>
      <Card flush>
        <Table
          label="Tasks"
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => row.id}
          selected={task}
          onOpen={(row) => select(row.id)}
        />
        {data.tasks.length > MOST_ROWS && (
          <p class="faint runs-more">
            The first {MOST_ROWS} of {data.tasks.length.toLocaleString("en")} tasks.
          </p>
        )}
      </Card>
    </div>
  );
}

function Picture({
  tasks,
  task,
  select,
}: {
  tasks: readonly GraphTask[];
  task: string | undefined;
  select: (id: string | undefined) => void;
}) {
  const key = JSON.stringify(tasks);
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal tasks of another answer draw nothing anew
  const { nodes, edges } = useMemo(() => graphOf(tasks), [key]);
  const known = useMemo(() => new Set(tasks.map((each) => each.id)), [tasks]);
  return (
    <Graph
      label="Tasks of the run"
      nodes={nodes}
      edges={edges}
      layout="flow"
      selected={task}
      onSelect={(id) => (id === undefined || known.has(id)) && select(id)}
      height={360}
    />
  );
}
