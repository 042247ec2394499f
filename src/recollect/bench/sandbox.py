"""How fast does code run? Starts, calls over the bridge and as tasks of a run, guests that do not stop.

Tools are functions of this process, so that what remains is the sandbox's own.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import anyio

from recollect.app.code_functions import CodeFunctions
from recollect.app.code_tasks import CodeRoom, CodeTasks
from recollect.app.gateway import Gateway
from recollect.app.run_driver import RunDriver
from recollect.app.run_journal import RunJournal
from recollect.app.run_store import RunStore, open_run_store
from recollect.bench.metrics import percentile
from recollect.clock import utc_now
from recollect.records.json_format import Json, JsonObject
from recollect.sandbox.bridge import AsyncFunctions
from recollect.sandbox.guest import Guest, GuestFinished, GuestOutcome
from recollect.sandbox.limits import GuestLimits
from recollect.sandbox.runner import Sandbox
from recollect.sandbox.stubs import ToolFunction, stubs_of
from recollect.views.benches import BenchSandboxOutput, SandboxBenchRow
from recollect.views.code import CODE_TASK, code_workflow
from recollect.workflow import events
from recollect.workflow.calling import ApprovalQuestion, NoConsent, TaskOutput
from recollect.workflow.reducer import started
from recollect.workflow.run_state import RunState
from recollect.workflow.task import Task

_LIMIT = 0.2  # seconds that a guest gets which does not stop
_WAIT = 0.1  # seconds of each gathered call
_GATHERED = 10
_TOOL = ToolFunction("bench:tool", {"properties": {"n": {"type": "integer"}}, "required": ["n"]})
_ONE_BY_ONE = "for n in range({calls}):\n    await bench_tool(n=n)\n"
_GATHER = "import asyncio\nlen(await asyncio.gather(*[bench_tool(n=n) for n in range({calls})]))"
ENDLESS: Mapping[str, str] = {
    "loop": "while True: pass",
    "caught": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "sum": "sum(range(10**13))",
    "print": "while True: print('x')",
    "numbers": "x = 7\nwhile True: x = x * x % (10 ** 4000 + 7)",
}


@dataclass(slots=True)
class _Times:
    """A tool that notes when it is called."""

    seconds: float = 0.0
    moments: list[float] | None = None

    async def __call__(self, arguments: JsonObject) -> Json:
        if self.moments is not None:
            self.moments.append(time.perf_counter())
        if self.seconds:
            await anyio.sleep(self.seconds)
        return arguments


def measure(calls: int = 100, rounds: int = 5) -> BenchSandboxOutput:
    """Time everything in this process, one after the other."""
    return anyio.run(_measure, calls, rounds)


async def _measure(calls: int, rounds: int) -> BenchSandboxOutput:
    rows = [
        _row("start, new process", [await _cold() for _ in range(rounds)]),
        _row("start, with type check", [await _cold(stubs_of([_TOOL])) for _ in range(rounds)]),
    ]
    sandbox = Sandbox(GuestLimits(calls=calls))
    try:
        rows.append(_row("start, process at hand", [await _start(sandbox) for _ in range(rounds * 10)]))
        rows.append(_row("call over the bridge", await _bridged(sandbox, calls)))
        rows.append(_row("call as a task of a run", await _tasks(sandbox, calls)))
        gathered = min([await _gathered(sandbox) for _ in range(rounds)])
    finally:
        sandbox.close()
    overruns = {name: await _overrun(code) for name, code in ENDLESS.items()}
    return {
        "results": rows,
        "gathered_seconds": round(gathered, 4),
        "gathered_ratio": round(gathered / _WAIT, 3),
        "longest_overrun": round(max(overruns.values()), 3),
    }


def _row(what: str, seconds: Sequence[float]) -> SandboxBenchRow:
    return {
        "what": what,
        "samples": len(seconds),
        "p50_ms": round(percentile(seconds, 0.5) * 1_000, 3),
        "p95_ms": round(percentile(seconds, 0.95) * 1_000, 3),
    }


async def _run(sandbox: Sandbox, code: str, tool: _Times, stubs: str = "") -> GuestOutcome:
    guest = Guest(code, functions=frozenset({_TOOL.name}), stubs=stubs)
    outcome: GuestOutcome | None = None
    async with anyio.create_task_group() as tasks:
        outcome = await sandbox.run(guest, AsyncFunctions({_TOOL.name: tool}, tasks))
    assert outcome is not None
    return outcome


async def _cold(stubs: str = "") -> float:
    sandbox = Sandbox()
    try:
        return await _start(sandbox, stubs)
    finally:
        sandbox.close()


async def _start(sandbox: Sandbox, stubs: str = "") -> float:
    begun = time.perf_counter()
    outcome = await _run(sandbox, "1 + 1", _Times(), stubs)
    assert outcome == GuestFinished(2)
    return time.perf_counter() - begun


async def _gathered(sandbox: Sandbox) -> float:
    begun = time.perf_counter()
    outcome = await _run(sandbox, _GATHER.format(calls=_GATHERED), _Times(_WAIT))
    assert outcome == GuestFinished(_GATHERED)
    return time.perf_counter() - begun


async def _bridged(sandbox: Sandbox, calls: int) -> list[float]:
    """The time between one call and the next, which the tool itself adds nothing to."""
    tool = _Times(moments=[])
    await _run(sandbox, _ONE_BY_ONE.format(calls=calls), tool)
    return _gaps(tool)


def _gaps(tool: _Times) -> list[float]:
    moments = tool.moments or []
    return [after - before for before, after in pairwise(moments)]


async def _overrun(code: str) -> float:
    """How many times its limit a guest lasts that does not stop."""
    sandbox = Sandbox(GuestLimits(seconds=_LIMIT))
    try:
        await _start(sandbox)
        begun = time.perf_counter()
        await _run(sandbox, code, _Times())
        return (time.perf_counter() - begun) / _LIMIT
    finally:
        sandbox.close()


@dataclass(frozen=True, slots=True)
class _BenchCall:
    tool: _Times
    effect: events.CallEffect = "read"
    asks: str = ""

    def problems(self, arguments: Mapping[str, Json]) -> Sequence[str]:  # noqa: ARG002
        return ()

    async def call(self, arguments: JsonObject) -> TaskOutput:
        return TaskOutput(await self.tool(arguments))


@dataclass(frozen=True, slots=True)
class _BenchCalls:
    tool: _Times

    async def prepare(self, task: Task) -> _BenchCall:  # noqa: ARG002
        return _BenchCall(self.tool)


class _NoPerson:
    async def consent(self, *_: object) -> NoConsent:
        return NoConsent()

    async def answer(self, question: ApprovalQuestion, state: RunState) -> bool | None:  # noqa: ARG002
        return None


async def _tasks(sandbox: Sandbox, calls: int) -> list[float]:
    """The same calls with everything that a run adds: type check, tasks, gate and journal."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = open_run_store(Gateway(folder / "data", {"HOME": name}, utc_now), folder)
        tool = _Times(moments=[])
        await _drive(sandbox, store, tool, _ONE_BY_ONE.format(calls=calls))
    return _gaps(tool)


async def _drive(sandbox: Sandbox, store: RunStore, tool: _Times, code: str) -> None:
    async def functions(_: str) -> CodeFunctions:
        return CodeFunctions({_TOOL.name: _TOOL})

    first = events.RunStarted(code_workflow(code, {}))
    room = CodeRoom(sandbox, functions, store.code_key, store.gate)
    tasks = CodeTasks(_BenchCalls(tool), room, "bench")
    journal = RunJournal(store.journal, "bench", store.gate, utc_now)
    driver = RunDriver("bench", started(first), journal, tasks, _NoPerson())
    tasks.host = driver
    await driver.begin(first)
    await driver.drive()
    assert driver.state.tasks[CODE_TASK].status == "succeeded", driver.state.tasks[CODE_TASK].error
