"""What a person reads before they approve a call: made without a model, and fitting a screen."""

import json
from collections.abc import Iterator, Sequence

from recollect.gateway.tool import UpstreamTool
from recollect.records.display import one_line, safe_text
from recollect.redaction.redact import redact
from recollect.workflow.calling import ApprovalQuestion
from recollect.workflow.run_state import RunState
from recollect.workflow.task import CodePlace

_ARGUMENTS, _OUTPUT = 1_600, 160  # characters that are shown
_MOST_NAMES = 8


def approval_summary(state: RunState, question: ApprovalQuestion, tool: UpstreamTool | None) -> str:
    """What will change where, the exact arguments, what led here, what runs after, what a refusal does.

    `tool` is None when the catalogue does not have it any more.
    """
    if tool is None:
        server, _, name = question.tool.partition(":")
        tool = UpstreamTool(server, name)
    return safe_text(redact("\n".join(_lines(state, question, tool)))[0])


def _lines(state: RunState, question: ApprovalQuestion, tool: UpstreamTool) -> Iterator[str]:
    id = question.task
    yield f"Call {tool.name} of the server {tool.server}? It {_effect(tool)}."
    yield f"Why you are asked: {question.rule}."
    if state.workflow.intent:
        yield f"Run: {one_line(state.workflow.intent)[:_OUTPUT]}"
    yield f"Arguments: {_shown(question.arguments, _ARGUMENTS)}"
    if (origin := state.tasks[id].task.origin) is not None:
        yield from _code_lines(state, id, origin)
        return
    place = state.tasks[id].task.item
    graph_id = place.parent if place else id
    for source in state.graph.sources.get(graph_id, ())[:_MOST_NAMES]:
        run = state.tasks[source]
        yield f"Before it: {source} ({run.task.tool}) {run.status}: {_shown(run.output, _OUTPUT)}"
    after = state.graph.dependents.get(graph_id, ())
    yield f"After it: {_names(after)}."
    lost = _names(state.graph.below([graph_id]))
    yield f"If you refuse: {id} fails, and nothing is called; then {lost} cannot run."


def _code_lines(state: RunState, id: str, origin: CodePlace) -> Iterator[str]:
    """Where in the code the call stands, what the code called before, and what it does about a refusal."""
    lines = state.tasks[origin.parent].task.code.splitlines()
    source = lines[origin.line - 1] if 0 < origin.line <= len(lines) else ""
    yield f"Made by line {origin.line} of the code of {origin.parent}: {one_line(source)[:_OUTPUT]}"
    calls = [run for run in state.tasks.values() if run.task.origin and run.task.id != id]
    own = [run for run in calls if run.task.origin and run.task.origin.parent == origin.parent]
    for run in own[-_MOST_NAMES:]:
        yield f"Before it: {run.task.id} ({run.task.tool}) {run.status}: {_shown(run.output, _OUTPUT)}"
    yield (
        "If you refuse: nothing is called, and the code gets a PermissionError, after which it "
        "may continue."
    )


def _effect(tool: UpstreamTool) -> str:
    if tool.hints.read_only:
        return "is declared read-only"
    return "is declared destructive" if tool.hints.destructive else "may change things"


def _shown(value: object, most: int) -> str:
    text = one_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= most else f"{text[:most]} ... ({len(text) - most:,} more characters)"


def _names(ids: Sequence[str]) -> str:
    if not ids:
        return "nothing"
    more = f" and {len(ids) - _MOST_NAMES} more" if len(ids) > _MOST_NAMES else ""
    return ", ".join(ids[:_MOST_NAMES]) + more
