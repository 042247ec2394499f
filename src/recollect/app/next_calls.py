"""What runs ahead, and when: the next call after each real one, and the tasks of a plan.

Learns in each session which fields of results feed which arguments. Nothing of it is written down.
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import anyio
import mcp_types as types
from anyio.abc import TaskGroup

from recollect.app.call_knowledge import CallKnowledge
from recollect.app.call_log import Delivery
from recollect.app.call_targets import CallTarget
from recollect.app.observing import output_value
from recollect.app.speculator import AheadCaller, Speculator
from recollect.errors import RecollectError
from recollect.gateway.speculation_use import SpeculationUse
from recollect.gateway.vault.reply import RESULT_TOKENS
from recollect.learning.pending_decisions import PendingDecisions
from recollect.records.json_format import Json
from recollect.tools.caller import Caller
from recollect.workflow import weights
from recollect.workflow.bindings import Binding, FinishedCall, binding_of, bound_arguments
from recollect.workflow.plan import Plan
from recollect.workflow.plan_ahead import TaskAhead, tasks_ahead
from recollect.workflow.speculation import ExpectedTime, PredictedCall, Verdict, judge, may_write

Threshold: TypeAlias = Callable[[], float]
_MOST_SESSIONS, _MOST_BINDINGS = 100, 500
_TRACED = 3  # of the predictions
_RECENT = 3  # calls whose values may feed the next one
_PATIENCE = 1.0  # seconds that a plan waits for the servers of its tasks to be connected


@dataclass(eq=False, slots=True)
class _PlanState:
    """A plan whose tasks run ahead: what is done, and what was tried."""

    plan: Plan
    named: frozenset[str]
    targets: Mapping[str, CallTarget]
    times: Mapping[str, ExpectedTime]
    outputs: dict[str, Json] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)

    def open_tasks(self) -> list[TaskAhead]:
        """Tasks that could be called now and were not tried."""
        tasks = tasks_ahead(self.plan, self.named, self._reads, self.outputs)
        return [each for each in tasks if each.task.id not in self.tried]

    def call(self, ahead: TaskAhead, target: CallTarget) -> PredictedCall:
        """A task as a call that is judged."""
        needs_approval = ahead.task.approval == "always"
        return _call(target, ahead.probability, ahead.arguments, self.times, needs_approval)

    def _reads(self, tool: str) -> bool:
        return tool in self.targets and not may_write(self.targets[tool].tool)

    def done(self, call: FinishedCall) -> None:
        """An agent made a call that may be one of the plan."""
        for each in self.open_tasks():
            if each.task.tool == call.tool and each.arguments == call.arguments:
                self.tried.add(each.task.id)
                self.outputs[each.task.id] = call.output
                return


@dataclass(slots=True)
class _Session:
    """The newest calls of one client, where their arguments came from, and its newest plan."""

    recent: deque[FinishedCall] = field(default_factory=lambda: deque(maxlen=_RECENT))
    bindings: dict[tuple[str, str], Binding] = field(default_factory=dict)
    plan: _PlanState | None = None
    calls: int = 0
    pending: PendingDecisions = field(default_factory=PendingDecisions)

    def add(self, call: FinishedCall) -> None:
        """Learn from one more call."""
        if self.recent:
            pair = self.recent[-1].tool, call.tool
            newer, older = binding_of(call, list(self.recent)), self.bindings.pop(pair, None)
            if newer is not None:
                self.bindings[pair] = newer if older is None else older.agreeing(newer)
            while len(self.bindings) > _MOST_BINDINGS:
                del self.bindings[next(iter(self.bindings))]
        self.recent.append(call)
        self.calls += 1

    def arguments(self, target: CallTarget) -> Mapping[str, Json] | None:
        """The arguments of a next call; None if they are not known."""
        binding = self.bindings.get((self.recent[-1].tool, target.tool.id)) if self.recent else None
        if binding is not None and binding.is_known:
            return bound_arguments(binding, list(self.recent))
        return None if target.tool.input_schema.get("properties") else {}


class NextCalls:
    """Decides what runs ahead in each session. `threshold` may be adjusted from outside, within limits."""

    def __init__(
        self,
        knowledge: CallKnowledge,
        speculator: Speculator,
        tasks: TaskGroup,
        record: Callable[[SpeculationUse], None],
        threshold: Threshold = lambda: float(weights.SPECULATION_THRESHOLD),
    ) -> None:
        self._knowledge, self._speculator, self._tasks = knowledge, speculator, tasks
        self._record, self._threshold = record, threshold
        self._sessions: dict[str, _Session] = {}

    def called(
        self, target: CallTarget, arguments: Mapping[str, Any], delivery: Delivery, caller: Caller
    ) -> None:
        """A client made a call, and it succeeded: what follows may run ahead."""
        if caller.session is None or not self._knowledge.speculates():
            return
        session = self._session(caller.session)
        is_small = delivery.result_tokens <= RESULT_TOKENS
        output = output_value(delivery.result) if is_small else None
        call = FinishedCall(target.tool.id, dict(arguments), output)
        session.add(call)
        for execution in session.pending.called(call.tool):
            self._knowledge.decided(execution)
        ahead = AheadCaller(caller.session, caller.client)
        if session.plan is not None:
            session.plan.done(call)
            self._advance(session.plan, ahead)
        self._tasks.start_soon(self._predict, session, session.calls, ahead)

    async def planned(self, plan: Plan, named: Collection[str], caller: Caller) -> None:
        """A client was given a plan: its harmless tasks whose arguments are known run ahead.

        Connects to their servers first, while the client is there to name its roots.
        """
        if caller.session is None or not self._knowledge.speculates():
            return
        targets = await self._targets({task.tool for task in plan.workflow.tasks}, caller.client)
        times = await self._knowledge.times()
        state = _PlanState(plan, frozenset(named), targets, times)
        self._session(caller.session).plan = state
        wanted = {target.upstream.name: target for target in self._accepted(state)}
        with anyio.move_on_after(_PATIENCE):
            async with anyio.create_task_group() as reaching:
                for target in wanted.values():
                    reaching.start_soon(self._reach, target, caller)
        self._advance(state, AheadCaller(caller.session, caller.client))

    def forget(self, session: str) -> None:
        """What a client works on has changed: nothing of before runs ahead."""
        self._sessions.pop(session, None)
        self._speculator.drop(session)

    def _session(self, id: str) -> _Session:
        session = self._sessions.pop(id, None) or _Session()
        self._sessions[id] = session
        if len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    async def _targets(self, tools: Collection[str], client: str) -> dict[str, CallTarget]:
        targets = {}
        for id in tools:
            target = await self._target(id, client)
            if target is not None:
                targets[id] = target
        return targets

    async def _target(self, id: str, client: str) -> CallTarget | None:
        """What a call goes to; None for a tool that is gone, blocked or cannot be looked up."""
        try:
            return await self._knowledge.target(id, client)
        except RecollectError:
            return None

    async def _reach(self, target: CallTarget, caller: Caller) -> None:
        try:
            await self._knowledge.reach(target, caller)
        except RecollectError:
            return  # the real call will say why

    def _accepted(self, state: _PlanState) -> list[CallTarget]:
        """What the tasks of a plan call that may run ahead now."""
        return [
            target
            for each in state.open_tasks()
            if (target := state.targets.get(each.task.tool)) is not None
            and judge(state.call(each, target), self._threshold()) == "accepted"
        ]

    def _advance(self, state: _PlanState, caller: AheadCaller) -> None:
        """Try the tasks of a plan that could run now, each once; what they give may let others start."""
        for each in state.open_tasks():
            state.tried.add(each.task.id)
            if (target := state.targets.get(each.task.tool)) is not None:
                then = partial(self._finished, state, each.task.id, caller)
                self._try(state.call(each, target), target, caller, then)

    def _finished(
        self, state: _PlanState, task: str, caller: AheadCaller, result: types.CallToolResult
    ) -> None:
        state.outputs[task] = output_value(result)
        self._advance(state, caller)

    async def _predict(self, session: _Session, calls: int, caller: AheadCaller) -> None:
        """Start the most likely next call, unless the client was faster."""
        try:
            recent = [call.tool for call in session.recent]
            predictions = await self._knowledge.predicted(recent)
            times = await self._knowledge.times()
        except RecollectError:
            return  # what cannot be read now predicts nothing
        self._knowledge.trace(caller.session, recent, predictions[:_TRACED])
        for prediction in predictions[:1]:
            target = await self._target(prediction.tool, caller.client)
            if target is None or session.calls != calls:
                return
            arguments = session.arguments(target)
            call = _call(target, prediction.probability, arguments, times)
            verdict = self._try(call, target, caller, raw=prediction.raw)
            if verdict in ("accepted", "below_threshold"):  # other reasons say nothing about it
                is_accepted = verdict == "accepted"
                session.pending.add(prediction.tool, prediction.probability, accepted=is_accepted)

    def _try(
        self,
        call: PredictedCall,
        target: CallTarget,
        caller: AheadCaller,
        then: Callable[[types.CallToolResult], None] | None = None,
        *,
        raw: float | None = None,
    ) -> Verdict | None:
        """Judge a call, and start it. Calls of servers that the user does not trust are not counted.

        `raw` is the prediction before it was calibrated.
        """
        if not call.upstream.speculate:
            return None
        self._record(SpeculationUse(call.tool.server, call.tool.name, predicted=1))
        threshold = self._threshold()
        verdict = judge(call, threshold)
        self._knowledge.trace_speculation(caller.session, call, raw, (verdict, threshold))
        if verdict == "accepted" and self._knowledge.is_connected(target, caller.session):
            self._speculator.start(target, dict(call.arguments or {}), caller, then)
        return verdict


def _call(
    target: CallTarget,
    probability: float,
    arguments: Mapping[str, Json] | None,
    times: Mapping[str, ExpectedTime],
    needs_approval: bool = False,
) -> PredictedCall:
    time = times.get(target.tool.id)
    return PredictedCall(
        target.tool, target.upstream, target.decision, probability, arguments, time, needs_approval
    )
