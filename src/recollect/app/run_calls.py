"""How the tasks of a run reach upstream tools: through the dispatcher, under the same rules as any call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mcp_types as types
from anyio import to_thread
from mcp import MCPError

from recollect.app.call_targets import CallTarget
from recollect.app.dispatch import Dispatcher
from recollect.app.observing import output_value, text_of
from recollect.errors import NotPermittedError
from recollect.gateway.arguments import argument_problems
from recollect.gateway.policy import PolicyDecision
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.vault.content import parts_of
from recollect.gateway.vault.output_form import OutputForm, output_form
from recollect.gateway.vault.reply import META_HANDLE
from recollect.records.json_format import Json, JsonObject
from recollect.tools.caller import Caller
from recollect.workflow import events
from recollect.workflow.calling import TaskOutput
from recollect.workflow.task import Task

UNSAID = "the tool is not declared read-only, and no rule allows it"


@dataclass(slots=True)
class RunCaller:
    """The client of a run, while one of its calls is open. A run outlives the call that started it.

    `client_session` is that of the client; the run has connections of its own.
    """

    run: str
    client: str = ""
    client_session: str | None = None
    current: Caller | None = None

    @property
    def session(self) -> str | None:
        return f"run {self.run}"

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        """A task's own progress is not the run's."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """What the client says. Raises MCPError when it has no call open."""
        if self.current is None:
            raise MCPError(
                types.INVALID_REQUEST, f"{question.method} arrived while no client was connected"
            )
        return await self.current.answer(question)

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """Pass on a line of a server's log."""
        if self.current is not None:
            await self.current.log(message)


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """A tool that a task may call."""

    target: CallTarget
    dispatcher: Dispatcher
    caller: RunCaller

    @property
    def effect(self) -> events.CallEffect:
        return call_effect(self.target.tool)

    @property
    def asks(self) -> str:
        return approval_reason(self.target.tool, self.target.decision)

    def problems(self, arguments: Mapping[str, Json]) -> Sequence[str]:
        return argument_problems(self.target.tool.input_schema, arguments)

    async def call(self, arguments: JsonObject) -> TaskOutput:
        session = self.caller.client_session
        delivery = await self.dispatcher.perform(self.target, arguments, self.caller, session)
        result = delivery.result
        if result.is_error:
            return TaskOutput(None, text_of(result) or "the tool reported an error without a message")
        output, handle = output_value(result), (delivery.reply.meta or {}).get(META_HANDLE)
        if not handle:
            return TaskOutput(output, source=delivery.source)
        form = await to_thread.run_sync(_form, result, output)
        return TaskOutput(output, handle=str(handle), source=delivery.source, stored_as=form)


@dataclass(frozen=True, slots=True)
class UpstreamCalls:
    """The upstream tools that the tasks of one run can call."""

    dispatcher: Dispatcher
    caller: RunCaller

    async def prepare(self, task: Task) -> UpstreamCall:
        target = await self.dispatcher.target(task.tool, self.caller.client)
        if target.decision.effect == "deny":
            raise NotPermittedError(f"{task.tool} may not be called; the rule: {target.decision.rule}.")
        await self.dispatcher.reach(target, self.caller)
        return UpstreamCall(target, self.dispatcher, self.caller)


def call_effect(tool: UpstreamTool) -> events.CallEffect:
    """What a call does by the accepted annotations; a tool that does not say may write."""
    if tool.hints.read_only is True:
        return "read"
    return (
        "repeatable" if tool.hints.idempotent is True and tool.hints.destructive is False else "write"
    )


def approval_reason(tool: UpstreamTool, decision: PolicyDecision) -> str:
    """Why a person has to approve a call; empty if nobody has to."""
    if decision.effect == "ask":
        return f"the rule: {decision.rule}"
    return "" if decision.rule is not None or tool.hints.read_only is True else UNSAID


def _form(result: types.CallToolResult, output: Json) -> OutputForm:
    document = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return output_form([part for _, part in parts_of(document)], output)
