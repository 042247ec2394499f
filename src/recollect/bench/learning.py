"""Is it better the second time? 200 requests over six published servers, from a cold start, and again.

An agent asks in few words for what it needs next. It looks down the list that discovery answers with until it
sees the tool, and calls it: every tool that it looks at in vain is one more call, and so is asking again.

A busy machine is not as busy ten seconds later. So a project learns from a whole round first; then it works
through the requests again in turns with a project that knows nothing, episode by episode.
"""

import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import anyio
import mcp_types as types
from mcp import MCPError

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.bench.speculation import make_repository, published_servers
from recollect.bench.speculation_workload import ScriptedCall, script
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.views.benches import BenchLearningOutput, LearningRow

_HITS = 10
_SESSIONS = 4
_THINKING = 0.05  # seconds after each answer, which do not count
_COUNTED = 0.9  # of the requests, those whose times in the two rounds are closest
# What an agent would ask for, without the words of the tool's own name where people would not use them.
WORDS = {
    "git:git_status": "what is different now",
    "git:git_diff_unstaged": "show me these changes",
    "git:git_log": "what happened lately",
    "git:git_branch": "which lines of work are there",
    "filesystem:list_allowed_directories": "where may I look",
    "filesystem:list_directory": "what is in this folder",
    "filesystem:get_file_info": "how large is that, and how old",
    "filesystem:read_text_file": "show me what it says",
    "filesystem:write_file": "save this text there",
    "memory:read_graph": "everything that is known",
    "memory:search_nodes": "what do we know about this topic",
    "memory:create_entities": "remember this part",
    "time:get_current_time": "how late is it there",
    "time:convert_time": "and when is that in Tokyo",
    "everything:get-env": "which variables are set",
    "everything:get-sum": "these two numbers together",
    "everything:echo": "say that again",
    "sequential-thinking:sequentialthinking": "think about it step by step",
}


@dataclass(eq=False, slots=True)
class _Agent:
    """A client that finds and calls tools; how many calls it made, and how long it waited for them."""

    dispatcher: Dispatcher
    session: str = ""
    client: str = "bench"
    calls: int = 0
    waits: list[float] = field(default_factory=list)
    processor_waits: list[float] = field(default_factory=list)

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        """It does not look at progress."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        raise MCPError(types.METHOD_NOT_FOUND, f"the bench does not answer {question.method}")

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """It reads no logs."""

    async def connect(self, sessions: Sequence[str]) -> None:
        """Have every server started for every session: that is not what is measured."""
        tools = {tool.partition(":")[0]: tool for tool in WORDS}
        for self.session in sessions:
            for tool in tools.values():
                await self.dispatcher.reach(await self.dispatcher.target(tool, self.client), self)

    async def work(self, steps: Sequence[ScriptedCall], session: str) -> None:
        """Find and call the tool of each step."""
        self.session = session
        for step in steps:
            began, used = time.perf_counter(), time.process_time()
            await self._find(step.tool)
            await self.dispatcher.call(step.tool, step.arguments, self)
            self.calls += 1
            self.waits.append(time.perf_counter() - began)
            self.processor_waits.append(time.process_time() - used)
            await anyio.sleep(_THINKING)

    async def _find(self, tool: str) -> None:
        discovery = await self.dispatcher.discover(WORDS[tool], _HITS, self.session)
        self.calls += 1
        names = [hit.tool.id for hit in discovery.hits]
        wrong = names.index(tool) if tool in names else len(names)
        for name in names[:wrong]:
            await self.dispatcher.tool(name)
        self.calls += wrong
        if tool not in names:
            await self.dispatcher.discover(tool, 1, self.session)
            self.calls += 1


@dataclass(frozen=True, slots=True)
class _BenchProject:
    """A project and a user of its own, with the six servers and the requests in its folder."""

    folder: Path
    data: Path
    env: dict[str, str]
    episodes: list[list[ScriptedCall]]

    @asynccontextmanager
    async def agent(self, name: str) -> AsyncIterator[_Agent]:
        """An agent at a new server of ours. Servers are connected before it begins."""
        gateway = Gateway(self.data, self.env, utc_now)
        async with anyio.create_task_group() as tasks:
            dispatcher = Dispatcher(gateway, self.folder, Exposure(speculates=True), tasks)
            dispatcher.start()
            await dispatcher.prepared.wait()
            agent = _Agent(dispatcher)
            await agent.connect([_session(name, number) for number in range(_SESSIONS)])
            try:
                yield agent
            finally:
                await dispatcher.stop()
                tasks.cancel_scope.cancel()


def measure(env: dict[str, str], requests: int = 200) -> BenchLearningOutput:
    """Work through the same requests for the first and the second time, in turns."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        new, known = (_project(Path(name).resolve() / each, env, requests) for each in ("new", "known"))
        anyio.run(_learned, known)
        first, second = anyio.run(_compared, new, known)
        episodes = new.episodes
    return {
        "requests": sum(map(len, episodes)),
        "first": first,
        "second": second,
        "calls_ratio": round(second["calls"] / first["calls"], 3),
        "seconds_ratio": round(second["seconds"] / first["seconds"], 3),
        "processor_ratio": round(second["processor_seconds"] / first["processor_seconds"], 3),
    }


def episodes_of(folder: Path, requests: int) -> list[list[ScriptedCall]]:
    """Episodes of calls, so many calls in all."""
    remaining = requests
    episodes = []
    for steps in script(folder, requests):
        calls = [step for step in steps if isinstance(step, ScriptedCall)]
        if calls and remaining:
            episodes.append(list(islice(calls, remaining)))
            remaining -= len(episodes[-1])
    return episodes


def _project(place: Path, env: dict[str, str], requests: int) -> _BenchProject:
    folder, data = place / "project", place / "data"
    place.mkdir()
    make_repository(folder)
    own = {**env, "HOME": str(place)}
    gateway = Gateway(data, own, utc_now)
    for server, entry in published_servers(folder, env).items():
        gateway.add(server, {**entry, "speculate": True})
    return _BenchProject(folder, data, own, episodes_of(folder, requests))


async def _learned(project: _BenchProject) -> None:
    async with project.agent("first") as agent:
        for number, steps in enumerate(project.episodes):
            await agent.work(steps, _session("first", number))


async def _compared(new: _BenchProject, known: _BenchProject) -> tuple[LearningRow, LearningRow]:
    """The first round of one project and the second of the other, each beginning every other episode."""
    async with new.agent("first") as first, known.agent("second") as second:
        for number, episodes in enumerate(zip(new.episodes, known.episodes, strict=True)):
            turns = [
                (first, episodes[0], _session("first", number)),
                (second, episodes[1], _session("second", number)),
            ]
            for agent, steps, session in turns if number % 2 else reversed(turns):
                await agent.work(steps, session)
    return _rows(first, second)


def _rows(first: _Agent, second: _Agent) -> tuple[LearningRow, LearningRow]:
    """Both rounds, without requests that took much longer in one: there the machine did something else."""
    seconds = paired_totals(first.waits, second.waits)
    processor = paired_totals(first.processor_waits, second.processor_waits)
    rows: list[LearningRow] = [
        {"calls": agent.calls, "seconds": waited, "processor_seconds": used}
        for agent, waited, used in zip((first, second), seconds, processor, strict=True)
    ]
    return rows[0], rows[1]


def paired_totals(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The sums over those pairs that differ least, whichever of the two is longer."""
    pairs = sorted(zip(first, second, strict=True), key=lambda pair: abs(pair[0] - pair[1]))
    counted = pairs[: round(len(pairs) * _COUNTED)]
    return round(sum(pair[0] for pair in counted), 3), round(sum(pair[1] for pair in counted), 3)


def _session(name: str, number: int) -> str:
    return f"{name} {number % _SESSIONS}"
