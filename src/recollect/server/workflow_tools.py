"""The meta-tools for workflows: run tasks as a graph, and tell a run what to do."""

import secrets
import time
from collections.abc import Mapping
from typing import Any, get_args

import mcp_types as types

from recollect.app.planner import Wish
from recollect.app.runs import LiveRun
from recollect.errors import LockedError, NotFoundError, RefusedError
from recollect.gateway.tool import UpstreamTool
from recollect.records.display import safe_text, safe_values
from recollect.records.fields import Anything, Choice, Count, Field, Listing, Object, Text
from recollect.records.json_format import JsonObject
from recollect.server.meta_tool import MetaCall, MetaTool, tool_memories
from recollect.team.roles import Permission
from recollect.views.meta_tools import ToolMemory, memory_row
from recollect.views.plans import plan_output, plan_text
from recollect.views.runs import run_output, run_text
from recollect.workflow.commands import COMMANDS, CommandName
from recollect.workflow.document import workflow_document
from recollect.workflow.plan import Plan
from recollect.workflow.run_state import RunState
from recollect.workflow.task import Decide

_WAIT, _MOST_WAIT = 60, 600  # seconds
_ITSELF = UpstreamTool("recollect", "run")  # whose large replies are stored
_DOOR = "MCP"
_MOST_PLANS, _MOST_MEMORIES = 32, 8


async def make_plan(call: MetaCall) -> types.CallToolResult:
    """A workflow for a request: its tasks, why they are there, and what they still need."""
    arguments = call.arguments
    wish = Wish(arguments["request"], arguments.get("values") or {}, arguments.get("context") or {})
    started = time.perf_counter()
    runs = await call.runs()
    planned = await runs.plan(wish)
    id = f"plan-{secrets.token_hex(4)}"
    milliseconds = (time.perf_counter() - started) * 1_000
    call.dispatcher.traces.planned(id, wish.intent, planned, milliseconds)
    while len(call.plans) >= _MOST_PLANS:
        del call.plans[next(iter(call.plans))]
    call.plans[id] = planned
    await call.dispatcher.next_calls.planned(planned, wish.arguments, call.caller)
    earlier = await runs.earlier(wish.intent)
    output = plan_output(id, planned, await _plan_memories(call, planned), earlier)
    return _result(plan_text(output), output)


async def _plan_memories(call: MetaCall, planned: Plan) -> list[ToolMemory]:
    """Constraints and runbooks that concern the tools of a plan, each once."""
    rows: dict[str, ToolMemory] = {}
    for id in {task.tool: None for task in planned.workflow.tasks}:
        for memory in await tool_memories(call, await call.dispatcher.tool(id)):
            rows.setdefault(memory.id, memory_row(memory))
    return list(rows.values())[:_MOST_MEMORIES]


async def run(call: MetaCall) -> types.CallToolResult:
    """Start a workflow, and answer when it has ended, waits for a decision, or the time is over."""
    runs = await call.runs()
    caller = call.caller
    live = await runs.start(_document(call), caller.client, session=caller.session)
    if plan := call.arguments.get("plan"):
        call.dispatcher.traces.started(live.run, plan)
    return await _reply(call, live)


def _document(call: MetaCall) -> JsonObject:
    """The workflow that a call names: its tasks, or a plan with the values that it lacked."""
    arguments = call.arguments
    if (arguments.get("tasks") is None) == (arguments.get("plan") is None):
        raise RefusedError("give either tasks or a plan.")
    document: JsonObject = {
        name: arguments[name]
        for name in ("tasks", "intent", "context", "decide")
        if arguments.get(name) is not None
    }
    if (id := arguments.get("plan")) is None:
        return document
    if id not in call.plans:
        raise NotFoundError(f"there is no plan {id!r}; plan again.")
    workflow = call.plans[id].workflow.with_arguments(arguments.get("values") or {})
    return {**workflow_document(workflow), **document}


async def control(call: MetaCall) -> types.CallToolResult:
    """Apply a command to a run, or only look at it, and answer as `run` does."""
    arguments = call.arguments
    runs = await call.runs()
    id = (await runs.record(arguments["run"])).id
    name: CommandName | None = arguments.get("command")
    if name is not None:
        await runs.command(id, name, _details(arguments), _DOOR)
    state = await runs.look(id)
    if state.has_ended:
        return await _shown(call, id, state)
    try:
        live = await runs.resume(id, call.caller.client)
    except LockedError:  # another process goes on with it
        return await _shown(call, id, state)
    return await _reply(call, live)


def _details(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What a command says beside its name."""
    details = {
        name: arguments[name]
        for name in ("task", "tasks", "arguments", "context", "text", "intent")
        if arguments.get(name) is not None
    }
    if "approval" in arguments:
        raise RefusedError("only a person may approve: `recollect run approve`.")
    return details


async def _reply(call: MetaCall, live: LiveRun) -> types.CallToolResult:
    seconds = call.arguments.get("wait")
    wait = _WAIT if seconds is None else min(seconds, _MOST_WAIT)
    state = await (await call.runs()).wait(live, wait, call.caller)
    return await _shown(call, live.run, state)


async def _shown(call: MetaCall, id: str, state: RunState) -> types.CallToolResult:
    if state.has_ended:
        call.dispatcher.traces.ended(id, succeeded=state.status == "succeeded")
    output = run_output(id, state)
    return await call.dispatcher.delivered(_ITSELF, _result(run_text(output), output))


def _result(text: str, output: Mapping[str, object]) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=safe_text(text))], structured_content=safe_values(output)
    )


_WAITING = Field("wait", Count(), f"seconds until it answers anyway; default {_WAIT}")
WORKFLOW_TOOLS = (
    MetaTool(
        "plan",
        "Plan a request that needs several tools: tasks for run, and what they still need from you.",
        (
            Field("request", Text(min_length=1), "the task, in your own words", required=True),
            Field("values", Object(()), "{tool: {argument: value}} that you know"),
            Field("context", Object(()), "values for ${context.name}"),
        ),
        reads=True,
        permission=Permission.READ_TOOLS,
        handler=make_plan,
    ),
    MetaTool(
        "run",
        "Run calls as a graph: each starts when what it reads is there, independent ones at the same time. "
        "Answers when done, at a decision, or when the time is over.",
        (
            Field(
                "tasks",
                Listing(Anything(), 1),
                "[{id, tool, code or capability, arguments, needs?, after?, when?, for_each?, retry?, "
                "timeout?}]; ${id.path} in arguments and conditions is an output",
            ),
            Field("plan", Text(), "a plan's id, instead of tasks"),
            Field("values", Object(()), "{task: {argument: value}} that the plan lacks"),
            Field("intent", Text(), "what it is for"),
            Field("context", Object(()), "values for ${context.name}"),
            Field("decide", Choice(get_args(Decide)), "when you are asked; default on_error"),
            _WAITING,
        ),
        reads=False,
        permission=Permission.CALL_TOOLS,
        handler=run,
    ),
    MetaTool(
        "control",
        "Look at a run, or tell it what to do.",
        (
            Field("run", Text(min_length=1), "its id", required=True),
            Field("command", Choice(COMMANDS), "none: look, and keep waiting"),
            Field("task", Text(), "for skip, modify_args"),
            Field("arguments", Object(()), "for modify_args"),
            Field("tasks", Listing(Anything()), "for inject_tasks"),
            Field("text", Text(), "for answer"),
            Field("intent", Text(), "for replan"),
            Field("context", Object(()), "for answer"),
            _WAITING,
        ),
        reads=False,
        permission=Permission.CONTROL_RUNS,
        handler=control,
    ),
)
