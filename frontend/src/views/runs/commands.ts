import { answer, client } from "../../api/client";
import { confirm, toast, toastError } from "../../ui";
import type { FormSpec } from "./form-dialog";
import { type Approval, exactPatterns } from "./model";

export type CommandName =
  | "continue"
  | "pause"
  | "abort"
  | "inject_tasks"
  | "replan"
  | "skip"
  | "modify_args"
  | "answer"
  | "approve"
  | "reject";

/** Give a run a command, and say what became of it. Throws what the server refused. */
export async function give(run: string, name: CommandName, values: object, done: string): Promise<void> {
  const result = await answer(
    client.POST("/api/runs/{run}/commands", {
      params: { path: { run }, header: { "X-Recollect": "1" } },
      body: { name, arguments: { ...values } },
    }),
  );
  const waits = result.status === "waiting";
  toast({
    text: waits ? "The process that is running it will apply this." : done,
    tone: waits ? "neutral" : "good",
  });
}

/** The same for a button: a refusal is shown. */
export async function tryGive(run: string, name: CommandName, values: object, done: string): Promise<void> {
  try {
    await give(run, name, values, done);
  } catch (failure) {
    toastError(failure);
  }
}

export async function abort(run: string): Promise<void> {
  const yes = await confirm({
    title: "Abort this run?",
    text: "Read-only calls are cancelled; a write in progress gets a moment to finish. An aborted run cannot be continued.",
    action: "Abort the run",
    danger: true,
  });
  if (yes) await tryGive(run, "abort", {}, "The run is being aborted.");
}

export async function skip(run: string, task: string): Promise<void> {
  const yes = await confirm({
    title: `Skip ${task}?`,
    text: "It will not run, and neither will what needs its output.",
    action: "Skip it",
    danger: true,
  });
  if (yes) await tryGive(run, "skip", { task }, `${task} is skipped.`);
}

export function replanForm(run: string, intent: string): FormSpec {
  return {
    title: "Replan the rest",
    text: "Other tools replace what failed and what depended on it.",
    action: "Replan",
    fields: [
      {
        name: "intent",
        label: "The task",
        kind: "text",
        initial: intent,
        lines: 3,
        optional: true,
      },
    ],
    submit: (values) => give(run, "replan", values, "Replanned."),
  };
}

export function injectForm(run: string): FormSpec {
  return {
    title: "Add tasks",
    text: "Tasks in the format of a workflow; they may refer to outputs of this run.",
    action: "Add",
    fields: [
      {
        name: "tasks",
        label: "Tasks",
        kind: "json",
        lines: 8,
        initial: '[\n  {"id": "new", "tool": "server:tool", "arguments": {}}\n]',
      },
    ],
    submit: (values) => give(run, "inject_tasks", values, "The tasks were added."),
  };
}

export function answerForm(run: string): FormSpec {
  return {
    title: "Tell the run something",
    text: "A message for the agent that runs it, and context values that tasks read.",
    action: "Send",
    fields: [
      { name: "text", label: "Message", kind: "text", lines: 3, optional: true },
      {
        name: "context",
        label: "Values",
        kind: "json",
        lines: 3,
        hint: '{"branch": "staging"}',
        optional: true,
      },
    ],
    submit: (values) => give(run, "answer", values, "The run has your answer."),
  };
}

export function modifyForm(run: string, task: string, present: string): FormSpec {
  return {
    title: `Other arguments for ${task}`,
    text: "The task runs again with these.",
    action: "Change",
    fields: [{ name: "arguments", label: "Arguments", kind: "json", lines: 10, initial: present }],
    submit: (values) => give(run, "modify_args", { task, ...values }, `${task} has new arguments.`),
  };
}

export function settleForm(run: string, task: string): FormSpec {
  return {
    title: `${task} happened`,
    text: "Its result was not recorded. Enter it, and the run continues with it.",
    action: "It happened",
    fields: [{ name: "output", label: "Output", kind: "json", lines: 4, initial: "null" }],
    submit: (values) => give(run, "answer", { task, ...values }, `${task} counts as done.`),
  };
}

/** Approve calls like this one beforehand. The patterns cover this very call until they are widened. */
export function grantForm(approval: Approval): FormSpec {
  return {
    title: `Grant calls of ${approval.tool}`,
    text: "Later calls whose arguments match need no approval. * matches anything; an argument that is not listed must be absent. You still have to approve the call that is waiting now.",
    action: "Grant",
    fields: [
      {
        name: "arguments",
        label: "Patterns by argument",
        kind: "json",
        lines: 6,
        initial: JSON.stringify(exactPatterns(approval.arguments), null, 2),
      },
      { name: "uses", label: "How many calls", kind: "number", initial: "1" },
      { name: "minutes", label: "For how many minutes", kind: "number", initial: "60" },
    ],
    submit: async (values) => {
      const {
        arguments: patterns,
        uses,
        minutes,
      } = values as { arguments: Record<string, string>; uses: number; minutes: number };
      await answer(
        client.POST("/api/grants", {
          params: { header: { "X-Recollect": "1" } },
          body: { tool: approval.tool, arguments: patterns, uses, minutes },
        }),
      );
      toast({ text: `Granted ${uses} ${uses === 1 ? "call" : "calls"} of ${approval.tool}.`, tone: "good" });
    },
  };
}
