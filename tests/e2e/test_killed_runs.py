"""kill -9 while a workflow runs over a real server: the run goes on, and no write is repeated silently.

By default some twelve of the run's events are tried, and a few random moments; RECOLLECT_SOAK=10 tries every
event, before and after it is written, and a hundred random moments.
"""

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import anyio
import pytest
from tests.requirements import requirement
from tests.upstreams.servers import entry

from recollect.app.gateway import Gateway
from recollect.app.local_runs import local_runs
from recollect.app.run_store import open_run_store
from recollect.clock import utc_now
from recollect.records.json_format import Json, JsonObject
from recollect.storage.sqlite.journal import SqliteJournal
from recollect.workflow.commands import Command, CommandName
from recollect.workflow.ports import RunRecord
from recollect.workflow.run_state import RunState

SOAK = int(os.environ.get("RECOLLECT_SOAK", "1"))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and killed")

# Each call leaves a line in the file that is its first argument.
LEDGER = """
import sys, time
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("ledger")

def line(text: str) -> str:
    with open(sys.argv[1], "a") as file:
        file.write(text + "\\n")
    return text

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look(text: str) -> str:
    time.sleep(0.01)
    return line(text)

@server.tool(annotations=ToolAnnotations(read_only_hint=False))
def note(text: str) -> str:
    time.sleep(0.01)
    return line(text)

server.run("stdio")
"""


def task(id: str, tool: str, text: str) -> JsonObject:
    return {"id": id, "tool": f"ledger:{tool}", "arguments": {"text": text}}


def workflow() -> JsonObject:
    """Twenty tasks: five rows of a read, two writes, and a read that needs both."""
    tasks: list[Json] = []
    for row in range(5):
        first = f"look{row}"
        tasks += [
            task(first, "look", first),
            task(f"note{row}a", "note", f"note{row}a after ${{{first}.result}}"),
            task(f"note{row}b", "note", f"note{row}b after ${{{first}.result}}"),
            task(f"end{row}", "look", f"end{row} ${{note{row}a.result}} ${{note{row}b.result}}"),
        ]
    return {"tasks": tasks, "parallel": 4}


class Place:
    """A folder with a gateway and a ledger."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder = folder
        self.ledger = data / "ledger"
        self.gateway = Gateway(data, {"HOME": str(folder)}, utc_now)
        self.store = open_run_store(self.gateway, folder)

    def lines(self) -> Counter[str]:
        text = self.ledger.read_text() if self.ledger.exists() else ""
        return Counter(line.split()[0] for line in text.splitlines())

    def start_and_be_killed(self, prepare: Callable[[], None]) -> RunRecord | None:
        """A child starts a run; `prepare` arranges its death. The run, if it was begun."""
        self.ledger.unlink(missing_ok=True)
        before = {record.id for record in self.store.journal.runs(1_000)}
        child = os.fork()
        if not child:
            try:
                prepare()
                anyio.run(self._start)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        new = [record for record in self.store.journal.runs(1_000) if record.id not in before]
        return new[0] if new else None

    async def _start(self) -> None:
        store = open_run_store(self.gateway, self.folder)
        async with local_runs(self.gateway, self.folder, store) as runs:
            await (await runs.start(workflow())).driver.rest()

    async def resume(self, run: str) -> RunState:
        """Go on, and decide about writes in doubt by what the ledger says."""
        async with local_runs(self.gateway, self.folder, self.store) as runs:
            state = await runs.look(run)
            if state.has_ended:
                return state
            live = await runs.resume(run)
            await live.driver.rest()
            for id in live.state.having("in_doubt"):
                name: CommandName = "answer" if self.lines()[id] else "approve"
                arguments: JsonObject = {"task": id, "output": {"result": id}}
                live.driver.send(Command(f"c-{id}", name, arguments, "person"))
            await live.driver.rest()
            return live.state


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    data = tmp_path_factory.mktemp("data")
    place = Place(tmp_path_factory.mktemp("project"), data)
    place.gateway.add("ledger", entry(LEDGER, str(place.ledger)))
    place.gateway.refresh("ledger")
    place.gateway.policy.put("allow", "ledger:*")
    return place


def die_at(number: int, *, after: bool) -> None:
    """Make the write of event `number` to the journal the last thing that this process does."""
    append = SqliteJournal.append

    def dying(self: SqliteJournal, run: str, entries: list, *rest: object, **options: object) -> None:  # type: ignore[type-arg]
        is_last = entries[-1].number >= number
        if is_last and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        append(self, run, entries, *rest, **options)  # type: ignore[arg-type]
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    SqliteJournal.append = dying  # type: ignore[assignment, method-assign]


EVENTS = range(2, 68, 1 if SOAK >= 10 else 6)


@requirement("workflow:journal:resume")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("number", EVENTS)
def test_a_run_goes_on_from_every_event_and_no_write_happens_twice(
    place: Place, number: int, after: bool
) -> None:
    run = place.start_and_be_killed(lambda: die_at(number, after=after))
    assert run is not None

    state = anyio.run(place.resume, run.id)

    assert {task.status for task in state.tasks.values()} == {"succeeded"}
    lines = place.lines()
    assert {id: lines[id] for id in state.tasks if id.startswith("note") and lines[id] != 1} == {}
    assert all(lines[id] >= 1 for id in state.tasks)


@requirement("workflow:journal:resume")
@pytest.mark.parametrize("seed", range(100 if SOAK >= 10 else 3))
def test_a_run_goes_on_after_a_death_at_any_moment(place: Place, seed: int) -> None:
    delay = Random(seed).uniform(0.0, 1.0)

    def arrange() -> None:
        if not os.fork():
            parent = os.getppid()
            time.sleep(delay)
            os.kill(parent, signal.SIGKILL)
            os._exit(0)

    run = place.start_and_be_killed(arrange)
    if run is None:
        return  # it died before the run began

    state = anyio.run(place.resume, run.id)

    assert {task.status for task in state.tasks.values()} == {"succeeded"}
    lines = place.lines()
    assert {id: lines[id] for id in state.tasks if id.startswith("note") and lines[id] != 1} == {}
