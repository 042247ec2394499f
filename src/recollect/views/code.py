"""What a run of code looks like: its result first, then the calls it made."""

import json
from typing import Any, NotRequired, TypedDict

from recollect.records.display import one_line
from recollect.records.json_format import Json, JsonObject
from recollect.views.runs import RunPause, run_output
from recollect.workflow.run_state import RunState, TaskRun

CODE_TASK = "code"  # the id of the task that runs the code
_PARALLEL = 32  # calls of one piece of code at the same time
_ERROR = 200  # characters of a call's error


class CodeCallRow(TypedDict):
    """One call that the code made. `line` is that of the code; 0 where no line is known."""

    id: str
    tool: str
    line: int
    status: str
    milliseconds: float
    error: NotRequired[str]
    approval: NotRequired[str]


class CodeOutput(TypedDict):
    """A run of code: `result` and `printed` once it has ended well, else `error` or why it is `paused`."""

    run: str
    status: str
    calls: list[CodeCallRow]
    result: NotRequired[Any]
    printed: NotRequired[str]
    error: NotRequired[str]
    paused: NotRequired[RunPause]


def code_workflow(code: str, variables: JsonObject, intent: str = "") -> JsonObject:
    """The workflow that runs one piece of code."""
    task: JsonObject = {"id": CODE_TASK, "code": code, "arguments": variables}
    tasks: list[Json] = [task]
    return {"intent": intent, "decide": "never", "parallel": _PARALLEL, "tasks": tasks}


def code_output(id: str, state: RunState) -> CodeOutput:
    """A run of one piece of code as a document."""
    code = state.tasks[CODE_TASK]
    output: CodeOutput = {
        "run": id,
        "status": state.status,
        "calls": [_row(run) for run in state.tasks.values() if run.task.origin is not None],
    }
    if isinstance(code.output, dict):
        output["result"] = code.output.get("result")
        if printed := code.output.get("printed"):
            output["printed"] = str(printed)
    if code.error:
        output["error"] = code.error
    if paused := run_output(id, state).get("paused"):
        output["paused"] = paused
    return output


def _row(run: TaskRun) -> CodeCallRow:
    assert run.task.origin is not None
    row: CodeCallRow = {
        "id": run.task.id,
        "tool": run.task.tool,
        "line": run.task.origin.line,
        "status": run.status,
        "milliseconds": run.milliseconds,
    }
    if run.error:
        row["error"] = run.error[:_ERROR]
    if run.status == "waiting_approval":
        row["approval"] = run.approval
    return row


def code_text(output: CodeOutput) -> str:
    """The run for an agent or a person: what came out, and what to do next."""
    lines = [output["printed"].rstrip()] if "printed" in output else []
    if "result" in output:
        lines.append(json.dumps(output["result"], ensure_ascii=False))
    if "error" in output:
        lines.append(output["error"])
    lines += [_line(row) for row in output["calls"] if row["status"] != "succeeded"]
    done = sum(row["status"] == "succeeded" for row in output["calls"])
    lines.append(
        f"{output['run']}: {output['status']}, {done} of {len(output['calls'])} calls succeeded"
    )
    if paused := output.get("paused"):
        lines.append(f"paused ({paused['reason']}); next: {paused['next']}")
    return "\n".join(lines)


def _line(row: CodeCallRow) -> str:
    detail = one_line(row.get("error") or row.get("approval") or "")
    return f"- {row['id']} ({row['tool']}, line {row['line']}): {row['status']} {detail}".rstrip()
