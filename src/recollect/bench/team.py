"""A team at work: agents on projects of one database that save, search, record events and look at runs.

Every agent has a thread and a project of its own, and works at a steady pace: `rate` operations a second
each, so that twice the projects is twice the load. A response is timed from when it was due, so that a queue
shows. After the load each project has what its agent saved and nothing else.
"""

import random
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from recollect.app.opening import init_project
from recollect.bench.generated_memories import SUBJECTS
from recollect.bench.metrics import percentile
from recollect.clock import to_text, utc_now
from recollect.errors import RecollectError
from recollect.records.draft import Draft
from recollect.records.json_format import Json
from recollect.records.memories import Saved
from recollect.retrieval.request import Request
from recollect.views.bench_team import BenchTeamOutput, TeamLoadRow
from recollect.workflow.events import (
    JournalEntry,
    RunEvent,
    RunFinished,
    RunStarted,
    TaskReady,
    TaskStarted,
    TaskSucceeded,
)

MIX = (("search", 6), ("save", 1), ("event", 2), ("runs", 1))  # of ten operations
_WARM = 3  # memories that a project has before it is measured


@dataclass(frozen=True, slots=True)
class TeamLoad:
    """How much work: agents, each on a project of its own, for so long and at that pace."""

    projects: int
    seconds: float
    rate: float = 1.0


@dataclass(slots=True)
class _Times:
    """What one kind of work took, in milliseconds, and what went wrong."""

    by_kind: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lost: int = 0
    foreign: int = 0


def measure(database: str, load: TeamLoad) -> BenchTeamOutput:
    """The load on a database, the same for each of twice the projects, and that of the embedded default.

    Ratios compare p95 in the same run. The machine must not be saturated for them to mean anything.
    """
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        team = _row(load, _run(folder / "team", load, database))
        double = TeamLoad(load.projects * 2, load.seconds, load.rate)
        twice = _row(double, _run(folder / "twice", double, database))
        embedded = _row(load, _run(folder / "embedded", load, ""))
    return {
        "p50_ms": team["p50_ms"],
        "p95_ms": team["p95_ms"],
        "per_second": team["per_second"],
        "projects": team["projects"],
        "seconds": load.seconds,
        "rate": load.rate,
        "team": team,
        "twice": twice,
        "embedded": embedded,
        "twice_over_team_p95": round(twice["p95_ms"] / team["p95_ms"], 3),
        "team_over_embedded_p95": round(team["p95_ms"] / embedded["p95_ms"], 3),
    }


def _run(folder: Path, load: TeamLoad, database: str) -> _Times:
    times, lock = _Times(), threading.Lock()
    env = {"HOME": str(folder / "home"), "PATH": "/usr/bin:/bin"}
    if database:
        env["RECOLLECT_DATABASE"] = database
    agents = agents_of(folder, load, env)
    start = time.perf_counter() + 0.5

    def work(agent: "BenchAgent") -> None:
        own = agent.work(start, load)
        with lock:
            for kind, values in own.by_kind.items():
                times.by_kind.setdefault(kind, []).extend(values)
            times.errors += own.errors
            times.lost += own.lost
            times.foreign += own.foreign

    with ThreadPoolExecutor(load.projects) as threads:
        list(threads.map(work, agents))
    return times


def agents_of(folder: Path, load: TeamLoad, env: dict[str, str]) -> "list[BenchAgent]":
    """An agent for each project, each with a few memories."""
    return [BenchAgent(folder / f"{number}", number, env) for number in range(load.projects)]


class BenchAgent:
    """One agent and its project."""

    def __init__(self, folder: Path, number: int, env: dict[str, str]) -> None:
        folder.mkdir(parents=True)
        (folder / ".claude" / "memory").mkdir(parents=True)
        self._number, self._chance = number, random.Random(number)  # noqa: S311 - repeatable, not secret
        self._project, _ = init_project(folder, env=env)
        self._project.state.prepare()
        self._stores, self._runs = self._project.state.open(), 0
        self._saved: set[str] = set()
        for _ in range(_WARM):
            self.save()

    def work(self, start: float, load: TeamLoad) -> _Times:
        times = _Times()
        kinds = [kind for kind, share in MIX for _ in range(share)]
        for due in _schedule(start + self._chance.random() / load.rate, load):
            time.sleep(max(0.0, due - time.perf_counter()))
            kind = self._chance.choice(kinds)
            try:
                self._do(kind)
            except RecollectError as error:
                times.errors.append(f"{kind}: {error}")
            times.by_kind.setdefault(kind, []).append((time.perf_counter() - due) * 1_000)
        there = {stored.memory.id for stored in self._project.memories.scan().stored}
        times.lost, times.foreign = len(self._saved - there), len(there - self._saved)
        return times

    def _do(self, kind: str) -> None:
        match kind:
            case "save":
                self.save()
            case "search":
                self.search()
            case "event":
                self._stores.sequences.add([(f"session {self._number}", "git:log")])
                self._stores.sequences.latest(5, 20)
            case _:
                self.run()

    def search(self) -> None:
        """Search for some words. Raises RecollectError for a memory that another project saved."""
        words = " ".join(self._chance.sample(SUBJECTS, 3))
        hits = self._project.find(Request(words, session="")).answer.hits
        strange = [hit for hit in hits if hit.document.id.removeprefix("mem:") not in self._saved]
        if strange:
            raise RecollectError(f"a memory of another project: {strange[0].document.id!r}")

    def run(self) -> None:
        """A run of one task, from its beginning to its end."""
        self._runs += 1
        run, at, journal = f"run-{self._runs}", to_text(utc_now()), self._stores.journal
        workflow: dict[str, Json] = {"tasks": [{"id": "log", "tool": "git:log"}]}
        journal.begin(run, "a load", JournalEntry(1, at, RunStarted(workflow)))
        steps: list[RunEvent] = [
            TaskReady("log"),
            TaskStarted("log", 1, "read", {}),
            TaskSucceeded("log", {}, 1.0, "call"),
            RunFinished("succeeded"),
        ]
        entries = [JournalEntry(number, at, step) for number, step in enumerate(steps, start=2)]
        journal.append(run, entries, "succeeded")
        journal.runs(10)

    def save(self) -> None:
        """Save a memory."""
        words = self._chance.sample(SUBJECTS, 4)
        title = f"Agent {self._number} decides about {' '.join(words)} {len(self._saved)}"
        content: dict[str, Json] = {
            "status": "accepted",
            "context": f"The {words[2]} needs it.",
            "decision": f"We {words[0]} the {words[1]}.",
            "rationale": [f"The {words[3]} is slower otherwise."],
            "alternatives": [],
        }
        draft = Draft(
            {"category": "decision", "title": title, "tags": [*words[:2]], "content": content}
        )
        saved = self._project.memories.save(draft, allow_repeat=True)
        if isinstance(saved, Saved):
            self._saved.add(saved.stored.memory.id)


def _schedule(start: float, load: TeamLoad) -> Iterator[float]:
    """When each operation is due."""
    count = max(1, round(load.seconds * load.rate))
    return (start + number / load.rate for number in range(count))


def _row(load: TeamLoad, times: _Times) -> TeamLoadRow:
    every = [value for values in times.by_kind.values() for value in values]
    return {
        "projects": load.projects,
        "operations": len(every),
        "per_second": round(len(every) / load.seconds, 1),
        "p50_ms": round(percentile(every, 0.5), 2),
        "p95_ms": round(percentile(every, 0.95), 2),
        "by_kind": {
            kind: {
                "p50_ms": round(percentile(values, 0.5), 2),
                "p95_ms": round(percentile(values, 0.95), 2),
            }
            for kind, values in sorted(times.by_kind.items())
        },
        "errors": len(times.errors),
        "first_error": times.errors[0] if times.errors else "",
        "lost": times.lost,
        "foreign": times.foreign,
    }
