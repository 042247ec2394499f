import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import type { components } from "../../api/schema";
import { may } from "../../app/project";
import {
  Button,
  Card,
  Code,
  duration,
  EmptyState,
  Id,
  Loaded,
  Properties,
  Skeleton,
  StateBadge,
  toastError,
} from "../../ui";
import { modifyForm, skip } from "./commands";
import type { FormSpec } from "./form-dialog";
import { ENDED, isOver, type Run, valueText } from "./model";

const STEP = 4000; // characters of a value that are shown at once
type Task = components["schemas"]["RunTaskOutput"];

/** What went into a task and what came out. */
export function TaskPanel({
  run,
  task,
  ask,
}: {
  run: Run;
  task: string | undefined;
  ask: (form: FormSpec) => void;
}) {
  if (task === undefined)
    return (
      <Card>
        <EmptyState icon="runs" title="No task selected">
          Select one in the graph, the table or the timeline to see what went in and what came out.
        </EmptyState>
      </Card>
    );
  return <SelectedTask key={task} run={run} task={task} ask={ask} />;
}

function SelectedTask({ run, task, ask }: { run: Run; task: string; ask: (form: FormSpec) => void }) {
  const shown = useResource(
    (signal) =>
      answer(
        client.GET("/api/runs/{run}/tasks/{task}", { params: { path: { run: run.run, task } }, signal }),
      ),
    [run.run, task],
    ["runs"],
  );
  return (
    <Card
      title={<span class="truncate">{task}</span>}
      actions={shown.data && <StateBadge state={shown.data.status} />}
    >
      <Loaded of={shown} skeleton={<Skeleton height={320} />}>
        {(data) => (
          <div class="stack">
            <Properties items={properties(data)} />
            {data.error && <Code text={data.error} label="error" wrap />}
            {!isOver(run.status) && may("runs.control") && (
              <TaskActions run={run.run} data={data} ask={ask} />
            )}
            {data.code && (
              <section class="stack">
                <h3>Code</h3>
                <Code text={data.code} label="code" />
              </section>
            )}
            <Value title="Input" value={data.arguments} />
            <Output data={data} />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function properties(data: Task) {
  return [
    ["Tool", <Id key="tool" value={data.tool} />],
    ["Attempts", data.attempts],
    ["Time", data.milliseconds ? duration(data.milliseconds) : "–"],
    ["Needs", data.needs.join(", ") || "nothing"],
  ] as const;
}

function TaskActions({ run, data, ask }: { run: string; data: Task; ask: (form: FormSpec) => void }) {
  const isOpen = !ENDED.has(data.status) || data.status === "failed";
  if (!isOpen || data.status === "running") return null;
  return (
    <div class="row wrap">
      {data.status !== "in_doubt" && (
        <Button
          size="small"
          icon="edit"
          onClick={() => ask(modifyForm(run, data.id, valueText(data.arguments)))}
        >
          Change arguments…
        </Button>
      )}
      <Button size="small" onClick={() => void skip(run, data.id)}>
        Skip…
      </Button>
    </div>
  );
}

function Output({ data }: { data: Task }) {
  if (data.expired)
    return (
      <section class="stack">
        <h3>Output</h3>
        <p class="muted">It was stored in the vault and has expired.</p>
      </section>
    );
  if (data.status !== "succeeded") return null;
  return (
    <>
      <Value title="Output" value={data.output} />
      {data.cut && data.handle && <Stored handle={data.handle} />}
      {data.cut && !data.handle && (
        <p class="faint">
          This is its beginning; <code>recollect run export</code> has all of it.
        </p>
      )}
    </>
  );
}

function Value({ title, value }: { title: string; value: unknown }) {
  const [shown, setShown] = useState(STEP);
  const text = valueText(value);
  return (
    <section class="stack">
      <h3>{title}</h3>
      <Code text={text.slice(0, shown)} label={title.toLowerCase()} wrap />
      {text.length > shown && (
        <Button size="small" variant="quiet" onClick={() => setShown(shown * 4)}>
          Show more of {text.length.toLocaleString("en")} characters
        </Button>
      )}
    </section>
  );
}

/** A large output, read from the vault piece by piece. */
function Stored({ handle }: { handle: string }) {
  const [pieces, setPieces] = useState<readonly { where: string; text: string }[]>([]);
  const [next, setNext] = useState<string | null>("");
  const [busy, setBusy] = useState(false);
  const read = async () => {
    setBusy(true);
    try {
      const piece = await answer(
        client.GET("/api/results/{handle}", {
          params: { path: { handle }, query: next ? { range: next } : {} },
        }),
      );
      setPieces([...pieces, piece]);
      setNext(piece.next);
    } catch (failure) {
      toastError(failure);
    }
    setBusy(false);
  };
  return (
    <section class="stack">
      <h3>
        In the vault: <Id value={handle} />
      </h3>
      {pieces.map((piece) => (
        <div key={piece.where} class="stack">
          <p class="faint">{piece.where}</p>
          <Code text={piece.text} label={piece.where} wrap />
        </div>
      ))}
      {next !== null && (
        <Button size="small" busy={busy} onClick={() => void read()}>
          {pieces.length ? "Show more" : "Read it from the vault"}
        </Button>
      )}
    </section>
  );
}
