import { useState } from "preact/hooks";
import { answer, client } from "../../api/client";
import { useResource } from "../../api/resource";
import { useShortcuts } from "../../app/keyboard";
import { project } from "../../app/project";
import { Badge, Button, Card, Code, Icon } from "../../ui";
import { grantForm, settleForm, tryGive } from "./commands";
import type { FormSpec } from "./form-dialog";
import { type Approval, type Run, valueText } from "./model";

const REASONS: Readonly<Record<string, string>> = {
  command: "Someone paused it. Resume lets tasks start again.",
  error: "A task failed. Change its arguments, replan, or skip it; Resume accepts the failure.",
  layer: "It pauses after each layer. Resume starts the next one.",
  task: "It pauses after each task. Resume starts the next one.",
  approval: "Calls are waiting for a person.",
  in_doubt: "A write was started, and it is unknown whether it happened. A person decides.",
  missing_value: "A value that a task reads is no longer stored. Give it other arguments.",
  stopped: "The process that was running it ended. Resume continues it here.",
};

/** What the run waits for: calls to approve, writes in doubt, and why it stands still. */
export function Decisions({ data, ask }: { data: Run; ask: (form: FormSpec) => void }) {
  const run = data.run;
  const approvals = useResource(
    (signal) => answer(client.GET("/api/runs/{run}/approvals", { params: { path: { run } }, signal })),
    [run],
    ["runs"],
  );
  const waiting = approvals.data?.approvals ?? [];
  const doubtful = data.tasks.filter((task) => task.status === "in_doubt");
  const refusal = project.value?.approval_refusal ?? "";
  const decides = project.value !== null && !refusal;
  useShortcuts(
    waiting.length && decides
      ? [{ keys: "a", label: "Go to the waiting call", group: "Run", run: focusFirst }]
      : [],
  );
  const why = data.paused && data.paused.reason !== "approval";
  return (
    <div class={why || waiting.length + doubtful.length ? "stack" : "visually-hidden"} aria-live="polite">
      {data.paused && data.paused.reason !== "approval" && (
        <p class="runs-notice" data-tone="warn">
          <Icon name="pause" />
          <span>
            <b>The run is waiting.</b> {REASONS[data.paused.reason] ?? data.paused.next}
            {data.paused.tasks.length > 0 && ` About: ${data.paused.tasks.join(", ")}.`}
          </span>
        </p>
      )}
      {refusal && waiting.length + doubtful.length > 0 && (
        <p class="runs-notice" data-tone="bad">
          <Icon name="lock" />
          <span>
            <b>You cannot approve here.</b> {refusal}
          </span>
        </p>
      )}
      {waiting.map((approval) => (
        <ApprovalCard key={approval.approval} run={run} approval={approval} decides={decides} ask={ask} />
      ))}
      {doubtful.map((task) => (
        <DoubtCard key={task.id} run={run} task={task} decides={decides} ask={ask} />
      ))}
    </div>
  );
}

function focusFirst(): void {
  document.querySelector<HTMLElement>("[data-approval] .button.primary")?.focus();
}

interface CardProps {
  readonly run: string;
  readonly decides: boolean;
  readonly ask: (form: FormSpec) => void;
}

function ApprovalCard({ run, approval, decides, ask }: CardProps & { approval: Approval }) {
  const [busy, setBusy] = useState(false);
  const { task, approval: id } = approval;
  const decide = async (name: "approve" | "reject", done: string) => {
    setBusy(true);
    await tryGive(run, name, { task, approval: id }, done);
    setBusy(false);
  };
  const [question, ...reasons] = approval.summary.split("\n");
  return (
    <div data-approval={task}>
      <Card
        label={`Approval of ${task}`}
        title={
          <span class="row wrap">
            <Badge tone="warn" icon="clock">
              Waits for you
            </Badge>
            <span>{question}</span>
          </span>
        }
      >
        <div class="stack">
          <ul class="runs-summary muted">
            {reasons
              .filter((line) => !line.startsWith("Arguments: "))
              .map((line) => (
                <li key={line}>{line}</li>
              ))}
          </ul>
          <Code text={valueText(approval.arguments)} label={`Arguments of ${task}`} wrap />
          {decides && (
            <div class="row wrap">
              <Button
                variant="primary"
                icon="check"
                busy={busy}
                onClick={() => void decide("approve", `${task} is approved.`)}
              >
                Approve
              </Button>
              <Button
                variant="danger"
                icon="close"
                busy={busy}
                onClick={() => void decide("reject", `${task} is rejected.`)}
              >
                Reject
              </Button>
              <Button variant="quiet" onClick={() => ask(grantForm(approval))}>
                Grant later calls…
              </Button>
            </div>
          )}
        </div>
      </Card>
    </div>
  );
}

function DoubtCard({ run, task, decides, ask }: CardProps & { task: Run["tasks"][number] }) {
  return (
    <Card
      label={`Write in doubt: ${task.id}`}
      title={
        <span class="row wrap">
          <Badge tone="warn" icon="help">
            In doubt
          </Badge>
          <span>
            Did {task.id} ({task.tool}) happen?
          </span>
        </span>
      }
    >
      <div class="stack">
        <p class="muted">{task.error}</p>
        {decides && (
          <div class="row wrap">
            <Button
              icon="restore"
              onClick={() => void tryGive(run, "approve", { task: task.id }, `${task.id} is done again.`)}
            >
              Do it again
            </Button>
            <Button icon="check" onClick={() => ask(settleForm(run, task.id))}>
              It happened…
            </Button>
            <Button
              variant="danger"
              onClick={() => void tryGive(run, "reject", { task: task.id }, `${task.id} is given up.`)}
            >
              Give it up
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
