"""The meta-tools for workflows: run tasks as a graph, and tell a run what to do."""

from collections.abc import Mapping
from typing import Any, get_args

import mcp_types as types

from recollect.app.runs import LiveRun
from recollect.errors import RefusedError
from recollect.gateway.tool import UpstreamTool
from recollect.records.display import safe_text, safe_values
from recollect.records.fields import Anything, Choice, Count, Field, Listing, Object, Text
from recollect.server.meta_tool import MetaCall, MetaTool
from recollect.views.runs import run_output, run_text
from recollect.workflow.commands import COMMANDS, CommandName
from recollect.workflow.run_state import RunState
from recollect.workflow.task import Decide

_WAIT, _MOST_WAIT = 60, 600  # seconds
_ITSELF = UpstreamTool("recollect", "run")  # whose large replies are stored
_DOOR = "MCP"


async def run(call: MetaCall) -> types.CallToolResult:
    """Start a workflow, and answer when it has ended, waits for a decision, or the time is over."""
    arguments = call.arguments
    document = {
        name: arguments[name]
        for name in ("tasks", "intent", "context", "decide", "parallel")
        if arguments.get(name) is not None
    }
    runs = await call.runs()
    return await _reply(call, await runs.start(document, call.caller.client))


async def control(call: MetaCall) -> types.CallToolResult:
    """Apply a command to a run, or only look at it, and answer as `run` does."""
    arguments = call.arguments
    runs, id = await call.runs(), arguments["run"]
    name: CommandName | None = arguments.get("command")
    if name is not None:
        return await _reply(call, await runs.command(id, name, _details(arguments), _DOOR))
    state = await runs.look(id)
    if state.has_ended:
        return await _shown(call, id, state)
    return await _reply(call, await runs.resume(id, call.caller.client))


def _details(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What a command says beside its name."""
    details = {
        name: arguments[name]
        for name in ("task", "tasks", "arguments", "context", "text")
        if arguments.get(name) is not None
    }
    if "approval" in arguments:
        raise RefusedError("an approval is for a person: `recollect run approve`.")
    return details


async def _reply(call: MetaCall, live: LiveRun) -> types.CallToolResult:
    seconds = call.arguments.get("wait")
    wait = _WAIT if seconds is None else min(seconds, _MOST_WAIT)
    state = await (await call.runs()).wait(live, wait, call.caller)
    return await _shown(call, live.run, state)


async def _shown(call: MetaCall, id: str, state: RunState) -> types.CallToolResult:
    output = run_output(id, state)
    result = types.CallToolResult(
        content=[types.TextContent(text=safe_text(run_text(output)))],
        structured_content=safe_values(output),
    )
    return await call.dispatcher.delivered(_ITSELF, result)


_WAITING = Field("wait", Count(), f"seconds until it answers anyway; default {_WAIT}")
_TASKS = Field(
    "tasks",
    Listing(Anything(), 1),
    "[{id, tool, arguments, needs?, after?, when?, for_each?, retry?, timeout?}]; ${id.path} in arguments"
    " and conditions is an output",
)
WORKFLOW_TOOLS = (
    MetaTool(
        "run",
        "Run calls as a graph: each starts when what it reads is there, independent ones at the same time. "
        "Answers when done, at a decision, or when the time is over.",
        (
            Field(_TASKS.name, _TASKS.kind, _TASKS.help, required=True),
            Field("intent", Text(), "what it is for"),
            Field("context", Object(()), "values for ${context.name}"),
            Field("decide", Choice(get_args(Decide)), "when you are asked; default on_error"),
            _WAITING,
        ),
        reads=False,
        handler=run,
    ),
    MetaTool(
        "control",
        "Look at a run, or tell it what to do.",
        (
            Field("run", Text(min_length=1), "its id", required=True),
            Field("command", Choice(COMMANDS), "none: look, and go on waiting"),
            Field("task", Text(), "for skip, modify_args"),
            Field("arguments", Object(()), "for modify_args"),
            Field("tasks", Listing(Anything()), "for inject_tasks"),
            Field("text", Text(), "for answer"),
            Field("context", Object(()), "for answer"),
            _WAITING,
        ),
        reads=False,
        handler=control,
    ),
)
