"""What do calls that run ahead save? The same script of an agent, with speculation off and on, in one run.

Episodes alternate between the two, so that a busy machine slows both alike. Servers are the published ones,
over the broker, first as they are, then with the times of a public API (`network_delay`). Thinking is a pause
of fixed length after each answer.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import MCPError

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.app.planner import Wish
from recollect.app.run_store import open_run_store
from recollect.app.runs import Runs
from recollect.bench.network_delay import delayed
from recollect.bench.speculation_workload import FILES, ScriptedCall, ScriptedPlan, Step, script
from recollect.clock import utc_now
from recollect.errors import RefusedError
from recollect.gateway.exposure import Exposure
from recollect.gateway.speculation_use import SpeculationUse, total
from recollect.interpreter import python
from recollect.views.benches import BenchSpeculationOutput, SpeculationWorkload
from recollect.views.speculation import speculation_row
from recollect.workflow.document import workflow_document

_NPM = ("everything", "filesystem", "memory", "sequential-thinking")
_RUN_SECONDS = 60.0
_SWITCH_SECONDS = 0.0005  # as `serve` has it: what is learned in a thread lets calls through
_COUNTED = 0.95  # of the calls
_WRITTEN_SECONDS = 1.0  # after which receipts of what was done are in the database


def published_servers(folder: Path, env: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The `mcpServers` entries of the six, for a project folder. Raises RefusedError without one of them."""
    npm = Path(sys.prefix) / "npm" / "node_modules" / ".bin"
    entries: dict[str, dict[str, Any]] = {}
    for name in _NPM:
        program = shutil.which(f"mcp-server-{name}", path=f"{npm}:{env.get('PATH', '')}")
        if program is None:
            raise RefusedError(f"mcp-server-{name} is not installed; `make servers` installs it.")
        entries[name] = {"command": program, "env": {"PATH": env.get("PATH", "")}}
    entries["filesystem"]["args"] = [str(folder)]
    entries["memory"]["env"]["MEMORY_FILE_PATH"] = str(folder / ".git" / "memory.jsonl")
    for name in ("git", "time"):
        command, *arguments = python("-m", f"mcp_server_{name}")
        entries[name] = {"command": command, "args": arguments, "env": {"PATH": env.get("PATH", "")}}
    return entries


@dataclass(eq=False, slots=True)
class _Agent:
    """A client that follows the script: how long it waited, and what it was answered."""

    session: str
    dispatcher: Dispatcher
    runs: Runs
    think: float
    client: str = "bench"
    waits: list[float] = field(default_factory=list)
    makespan: float = 0.0
    calls: int = 0
    answers: list[str] = field(default_factory=list)

    @property
    def waited(self) -> float:
        """Seconds of calls and runs, without the slowest twentieth: there the machine did something else."""
        return sum(sorted(self.waits)[: round(len(self.waits) * _COUNTED)])

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        """It does not look at progress."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        raise MCPError(types.METHOD_NOT_FOUND, f"the bench does not answer {question.method}")

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """It reads no logs."""

    async def follow(self, steps: Sequence[Step], *, measured: bool) -> None:
        """Do the steps of an episode, with a pause after each."""
        began = time.perf_counter()
        for step in steps:
            if isinstance(step, ScriptedPlan):
                await self._plan(step, measured=measured)
            else:
                await self._call(step, measured=measured)
            await anyio.sleep(self.think if measured else 0.0)
        self.makespan += time.perf_counter() - began if measured else 0.0

    async def _call(self, step: ScriptedCall, *, measured: bool) -> None:
        began = time.perf_counter()
        result = await self.dispatcher.call(step.tool, step.arguments, self)
        if measured:
            self.waits.append(time.perf_counter() - began)
            self.calls += 1
            text = result.model_dump_json(include={"content", "is_error"})
            self.answers.append(text if step.compares else step.tool)

    async def _plan(self, step: ScriptedPlan, *, measured: bool) -> None:
        planned = await self.runs.plan(Wish(step.request, step.values))
        await self.dispatcher.next_calls.planned(planned, step.values, self)
        await anyio.sleep(self.think if measured else 0.0)
        began = time.perf_counter()
        document = workflow_document(planned.workflow)
        live = await self.runs.start(document, self.client, session=self.session)
        state = await self.runs.wait(live, _RUN_SECONDS, self)
        if measured:
            self.waits.append(time.perf_counter() - began)
            self.calls += len(state.tasks)
            self.answers.append(state.status)


@asynccontextmanager
async def _agent(
    gateway: Gateway, folder: Path, think: float, *, speculates: bool
) -> AsyncIterator[_Agent]:
    gateway = Gateway(gateway.folder, gateway.env, utc_now)  # a connection to the database of its own
    store = open_run_store(gateway, folder)
    async with anyio.create_task_group() as tasks:
        dispatcher = Dispatcher(gateway, folder, Exposure(speculates=speculates), tasks)
        dispatcher.start()
        runs = Runs(dispatcher, store, tasks, asks_person=False)
        await dispatcher.prepared.wait()
        try:
            yield _Agent(f"bench {speculates}", dispatcher, runs, think)
        finally:
            await runs.stop()
            await dispatcher.stop()
            tasks.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class SpeculationBench:
    """How many episodes teach, and how many are followed near and far, with how long a pause."""

    learned: int = 150
    episodes: int = 60
    think_ms: int = 50
    remote_episodes: int = 20
    remote_think_ms: int = 1_000
    remote_learned: int = 5  # that teach how long calls take now


def measure(env: dict[str, str], bench: SpeculationBench) -> BenchSpeculationOutput:
    """Teach, then follow other episodes twice each: with speculation off, and on."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve() / "project"
        make_repository(folder)
        gateway = Gateway(Path(name).resolve() / "data", {**env, "HOME": name}, utc_now)
        for server, entry in published_servers(folder, env).items():
            gateway.add(server, {**entry, "speculate": True})
        sys.setswitchinterval(_SWITCH_SECONDS)
        near = bench.learned + bench.episodes
        scripted = list(script(folder, near + bench.remote_learned + bench.remote_episodes))
        local = anyio.run(
            _compare, gateway, folder, scripted[:near], bench.learned, bench.think_ms / 1_000
        )
        for server, entry in published_servers(folder, env).items():
            command, *arguments = delayed(entry["command"], *entry.get("args", ()))
            far = {**entry, "command": command, "args": arguments, "speculate": True}
            gateway.add(server, far, replace=True)
        pause = bench.remote_think_ms / 1_000
        remote = anyio.run(_compare, gateway, folder, scripted[near:], bench.remote_learned, pause)
        return {**local, "remote": remote}


async def _compare(
    gateway: Gateway, folder: Path, scripted: list[list[Step]], learned: int, think: float
) -> SpeculationWorkload:
    async with AsyncExitStack() as stack:
        off, on = [
            await stack.enter_async_context(_agent(gateway, folder, think, speculates=speculates))
            for speculates in (False, True)
        ]
        before = SpeculationUse("", "")
        for number, steps in enumerate(scripted):
            if number == learned:
                await anyio.sleep(_WRITTEN_SECONDS)
                before = total(gateway.database.speculations.uses())
            agents = (off, on) if number % 2 else (on, off)
            for agent in agents:
                await agent.follow(steps, measured=number >= learned)
    use = total(gateway.database.speculations.uses()).less(before)
    different = sum(first != second for first, second in zip(off.answers, on.answers, strict=True))
    return {
        "episodes": len(scripted) - learned,
        "calls": off.calls,
        "think_ms": round(think * 1_000),
        "waiting_off_ms": round(off.waited * 1_000, 1),
        "waiting_on_ms": round(on.waited * 1_000, 1),
        "waiting_ratio": round(on.waited / off.waited, 3),
        "makespan_off_ms": round(off.makespan * 1_000, 1),
        "makespan_on_ms": round(on.makespan * 1_000, 1),
        "makespan_ratio": round(on.makespan / off.makespan, 3),
        "different_answers": different,
        "speculation": speculation_row(use),
    }


def make_repository(folder: Path) -> None:
    """A repository with the files of the script. Runs git."""
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).write_text("value = 1\n" * 50)
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "Begin")):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
