"""Capabilities that are suggested unasked: seldom, once, and by a threshold that learns."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import anyio
import pytest
from anyio import wait_all_tasks_blocked
from tests.requirements import requirement

from recollect.app.suggestions import MOST_IN_SESSION, Suggestions
from recollect.app.thresholds import LearnedThresholds
from recollect.app.tool_traces import ToolTraces
from recollect.clock import utc_now
from recollect.errors import StoreError
from recollect.learning.capabilities import Capability
from recollect.learning.pending_decisions import PATIENCE
from recollect.storage.sqlite.state import StateDatabase

pytestmark = pytest.mark.anyio
TOOLS = ("fs:read", "git:log")
REPORT = Capability("report", "d1", "report", "1", tools=TOOLS)


class Session:
    """One client, and what was learned from it."""

    def __init__(self, tasks: anyio.abc.TaskGroup) -> None:
        self.capabilities: Sequence[Capability] = [REPORT]
        self.fails = False
        self.thresholds, self.traces = LearnedThresholds(utc_now), ToolTraces(utc_now)
        self.suggestions = Suggestions(self.known, tasks, self.thresholds, self.traces)

    async def known(self) -> Sequence[Capability]:
        if self.fails:
            raise StoreError("the database is away")
        return self.capabilities

    async def suggested(self, *tools: str, session: str = "s") -> list[str]:
        """Call tools; what is suggested after them."""
        names = []
        for tool in tools:
            self.suggestions.called(session, tool)
            await wait_all_tasks_blocked()
            hit = self.suggestions.next(session)
            names += [hit.name] if hit else []
        return names

    def executions(self) -> list[tuple[bool, bool]]:
        """What the threshold learned: accepted, and right."""
        database = StateDatabase(":memory:")
        self.thresholds.write(database.thresholds)
        threshold = database.thresholds.get("capability")
        database.close()
        return [(each.accepted, each.right) for each in threshold.recent] if threshold else []


@pytest.fixture
async def client() -> AsyncIterator[Session]:
    async with anyio.create_task_group() as tasks:
        yield Session(tasks)


@requirement("learning:capabilities:unasked")
async def test_it_is_suggested_when_its_tools_were_called_and_only_once(client: Session) -> None:
    assert await client.suggested("fs:read", "x:other", "git:log", *TOOLS, *TOOLS) == ["report"]
    assert await client.suggested(*TOOLS, session="another") == ["report"]


@requirement("learning:capabilities:unasked")
async def test_a_session_hears_of_a_few_at_most(client: Session) -> None:
    client.capabilities = [replace(REPORT, name=f"report_{number}") for number in range(9)]
    assert len(await client.suggested(*TOOLS * 6)) == MOST_IN_SESSION


@requirement("learning:capabilities:unasked")
async def test_one_that_fails_often_or_shares_too_few_tools_is_not_suggested(client: Session) -> None:
    failing = replace(REPORT, name="failing", runs=9, successes=1)
    larger = replace(REPORT, name="larger", tools=(*TOOLS, "a:a", "b:b", "c:c"))
    client.capabilities = [failing, larger]
    assert await client.suggested(*TOOLS) == []


async def test_a_database_that_cannot_be_read_suggests_nothing_and_stops_nothing(
    client: Session,
) -> None:
    client.fails = True
    assert await client.suggested(*TOOLS) == []


@requirement("learning:thresholds:adaptive")
async def test_a_suggestion_that_is_run_was_right_and_one_that_is_not_was_wrong(
    client: Session,
) -> None:
    await client.suggested(*TOOLS)
    client.suggestions.ran("s", "report", succeeded=True)
    await client.suggested(*TOOLS, session="idle")
    await client.suggested(*["x:other"] * PATIENCE, session="idle")
    await client.suggested(*TOOLS, session="unlucky")
    client.suggestions.ran("unlucky", "report", succeeded=False)

    assert client.executions() == [(True, True), (True, False), (True, False)]


@requirement("learning:thresholds:adaptive")
async def test_one_that_was_not_suggested_and_run_anyway_was_wrongly_rejected(client: Session) -> None:
    client.capabilities = [replace(REPORT, tools=(*TOOLS, "c:c"))]
    await client.suggested(*TOOLS)
    client.suggestions.ran("s", "report", succeeded=True)
    await client.suggested(*TOOLS, session="idle")
    await client.suggested(*["x:other"] * PATIENCE, session="idle")

    assert client.executions() == [(False, False), (False, True)]


@requirement("learning:traces:recorded")
async def test_every_decision_leaves_a_trace_with_its_outcome(client: Session) -> None:
    await client.suggested(*TOOLS)
    client.suggestions.ran("s", "report", succeeded=True)
    await client.suggested(*TOOLS, session="idle")
    database = StateDatabase(":memory:")
    client.traces.close(database.traces)
    idle, used = database.traces.latest(10, "capability")
    database.close()

    assert (used.candidate, used.decision, used.outcome) == ("report", "accepted", "succeeded")
    assert used.signals["overlap"] == 1.0
    assert (used.score, used.threshold) == (1.0, 0.8)
    assert (idle.decision, idle.outcome) == ("accepted", "ignored")
