"""How fast are runs of workflows? The same graphs with our scheduler, one after another, and with LangGraph.

Tasks are functions of this process that wait for a given time, so that what remains is the scheduler's own.
"""

import operator
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any, TypedDict

import anyio

from recollect.app.gateway import Gateway
from recollect.app.run_driver import RunDriver
from recollect.app.run_journal import RunJournal
from recollect.app.run_store import open_run_store
from recollect.clock import utc_now
from recollect.records.json_format import Json, JsonObject
from recollect.views.benches import BenchWorkflowOutput, WorkflowBenchRow
from recollect.workflow import events
from recollect.workflow.calling import ApprovalQuestion, NoConsent, TaskOutput
from recollect.workflow.reducer import started
from recollect.workflow.run_state import RunState
from recollect.workflow.task import Task

Sequencer = Callable[["BenchGraph"], Awaitable[None]]
_PARALLEL = 1_000


@dataclass(frozen=True, slots=True)
class BenchGraph:
    """Tasks with how long each takes in seconds, and what each waits for."""

    name: str
    seconds: Mapping[str, float]
    sources: Mapping[str, Sequence[str]]

    @property
    def critical_path(self) -> float:
        """The seconds that the longest way takes; no order of calls is faster."""
        ends: dict[str, float] = {}
        for id, seconds in self.seconds.items():  # sources come first
            ends[id] = seconds + max((ends[source] for source in self.sources.get(id, ())), default=0.0)
        return max(ends.values())


def bench_graphs(tasks: int) -> list[BenchGraph]:
    """Ten calls at once; a graph in which layers are uneven; chains and a fan of tasks that do nothing."""
    rng = Random(7)  # noqa: S311 - the same graph each time
    names = [f"t{number}" for number in range(60)]
    uneven = {
        name: [f"t{rng.randrange(number)}" for _ in range(min(number, 2))]
        for number, name in enumerate(names)
    }
    chain = [f"t{number}" for number in range(tasks)]
    return [
        BenchGraph("10 calls of 100 ms", {f"t{n}": 0.1 for n in range(10)}, {}),
        BenchGraph("uneven, 60 tasks", {name: rng.choice((0.01, 0.05, 0.2)) for name in names}, uneven),
        BenchGraph(
            f"chain of {tasks:,}",
            dict.fromkeys(chain, 0.0),
            {name: [f"t{number - 1}"] for number, name in enumerate(chain) if number},
        ),
        BenchGraph(
            f"fan of {tasks:,}",
            dict.fromkeys(chain, 0.0),
            {name: ["t0"] for name in chain[1:]},
        ),
    ]


@dataclass(frozen=True, slots=True)
class _Wait:
    seconds: float
    effect: events.CallEffect = "read"
    asks: str = ""

    def problems(self, arguments: Mapping[str, Json]) -> Sequence[str]:  # noqa: ARG002
        return ()

    async def call(self, arguments: JsonObject) -> TaskOutput:  # noqa: ARG002
        await anyio.sleep(self.seconds)
        return TaskOutput(None)


@dataclass(frozen=True, slots=True)
class _Waits:
    graph: BenchGraph

    async def prepare(self, task: Task) -> _Wait:
        return _Wait(self.graph.seconds[task.id])


class _Nobody:
    async def consent(self, *_: object) -> NoConsent:
        return NoConsent()

    async def answer(self, question: ApprovalQuestion, state: RunState) -> bool | None:  # noqa: ARG002
        return None


class _Unwritten(RunJournal):
    """A journal that stores nothing, for what the scheduler itself costs."""

    def _store(self, _: object) -> None:
        return


async def _one_after_another(graph: BenchGraph) -> None:
    for seconds in graph.seconds.values():
        await anyio.sleep(seconds)


def _ours(journal_of: Callable[[str], RunJournal]) -> Sequencer:
    async def run(graph: BenchGraph) -> None:
        tasks: list[Json] = [
            {"id": id, "tool": "bench:wait", "needs": list(graph.sources.get(id, ()))}
            for id in graph.seconds
        ]
        first = events.RunStarted({"tasks": tasks, "parallel": _PARALLEL})
        journal = journal_of(f"bench-{time.monotonic_ns()}")
        driver = RunDriver(graph.name, started(first), journal, _Waits(graph), _Nobody())
        await driver.begin(first)
        await driver.drive()

    return run


class _Done(TypedDict):
    """The state of LangGraph: the tasks that are done."""

    done: Annotated[list[str], operator.add]


def _lang_graph() -> Sequencer | None:
    """The same graph as nodes and edges of LangGraph, in memory; None where it is not installed."""
    try:
        from langgraph.graph import END, START, StateGraph  # noqa: PLC0415
    except ImportError:
        return None

    def node(id: str, seconds: float) -> Callable[[_Done], Awaitable[_Done]]:
        async def wait(_: _Done) -> _Done:
            await anyio.sleep(seconds)
            return {"done": [id]}

        return wait

    async def run(graph: BenchGraph) -> None:
        builder: Any = StateGraph(_Done)
        waited_for = {source for sources in graph.sources.values() for source in sources}
        for id, seconds in graph.seconds.items():
            builder.add_node(id, node(id, seconds))
            sources = list(dict.fromkeys(graph.sources.get(id, ())))
            builder.add_edge(sources if len(sources) > 1 else sources[0] if sources else START, id)
            if id not in waited_for:
                builder.add_edge(id, END)
        await builder.compile().ainvoke({"done": []}, {"recursion_limit": 10 * len(graph.seconds)})

    return run


def measure(tasks: int = 1_000, rounds: int = 3) -> BenchWorkflowOutput:
    """Time each graph in each way, in turn; the best of the rounds counts."""
    with ExitStack() as open_resources:
        folder = Path(open_resources.enter_context(tempfile.TemporaryDirectory()))
        store = open_run_store(Gateway(folder / "data", {"HOME": str(folder)}, utc_now), folder)

        def gate(value: Json, field: str = "") -> tuple[Json, list[Any]]:  # noqa: ARG001
            return value, []

        ways: dict[str, Sequencer | None] = {
            "sequential": _one_after_another,
            "in memory": _ours(lambda run: _Unwritten(store.journal, run, gate, utc_now)),
            "with journal": _ours(lambda run: RunJournal(store.journal, run, store.gate, utc_now)),
            "LangGraph": _lang_graph(),
        }
        rows = [_row(graph, name, ways[name], rounds) for graph in bench_graphs(tasks) for name in ways]
    return {"results": [row for row in rows if row is not None]}


def _row(graph: BenchGraph, way: str, run: Sequencer | None, rounds: int) -> WorkflowBenchRow | None:
    if run is None:
        return None
    best = min(_timed(run, graph) for _ in range(rounds))
    path = graph.critical_path
    return {
        "graph": graph.name,
        "way": way,
        "seconds": round(best, 4),
        "critical_path": round(path, 4),
        "ratio": round(best / path, 3) if path else 0.0,
        "overhead_ms_per_task": round((best - path) / len(graph.seconds) * 1_000, 4),
    }


def _timed(run: Sequencer, graph: BenchGraph) -> float:
    begun = time.perf_counter()
    anyio.run(run, graph)
    return time.perf_counter() - begun
