"""A real server that writes down each call, and runs over it: for tests of faults."""

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.e2e.killed_process import KilledRuns
from tests.upstreams.servers import light_entry

from recollect.app.gateway import Gateway
from recollect.app.run_store import open_run_store
from recollect.clock import utc_now
from recollect.records.json_format import Json, JsonObject
from recollect.workflow.ports import RunRecord
from recollect.workflow.run_state import RunState

# Each call leaves a line in the file that is its first argument. The file `NAME.dies` names a call during
# which the server ends: before or after its line.
LEDGER = """
import os, signal, time

def end(moment: str) -> None:
    order = sys.argv[1] + ".dies"
    if os.path.exists(order) and open(order).read() == moment:
        os.unlink(order)
        os.kill(os.getpid(), signal.SIGKILL)

def line(text: str) -> str:
    name = text.split()[0]
    end("before " + name)
    with open(sys.argv[1], "a") as file:
        file.write(text + "\\n")
    end("after " + name)
    return text

@tool(read_only=True)
def look(text: str) -> str:
    time.sleep(0.01)
    return line(text)

@tool(read_only=False)
def note(text: str) -> str:
    time.sleep(0.01)
    return line(text)

@tool(read_only=True)
def page(name: str, words: int) -> str:
    return " ".join([line(name)] + ["word"] * words)

@tool(read_only=False)
def book(name: str, words: int) -> str:
    return " ".join([line(name)] + ["word"] * words)
"""


def task(id: str, tool: str, text: str) -> JsonObject:
    retry: JsonObject = {"attempts": 5, "wait": 0.3}  # a server that ended is started again soon
    return {"id": id, "tool": f"ledger:{tool}", "arguments": {"text": text}, "retry": retry}


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

    def __init__(self, folder: Path, data: Path, settings: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.ledger = data / "ledger"
        self.gateway = Gateway(data, {"HOME": str(folder), **(settings or {})}, utc_now)
        self.store = open_run_store(self.gateway, folder)
        self.gateway.add("ledger", light_entry(LEDGER, str(self.ledger)))
        self.gateway.refresh("ledger")
        self.gateway.policy.put("allow", "ledger:*")

    def lines(self) -> Counter[str]:
        text = self.ledger.read_text() if self.ledger.exists() else ""
        return Counter(line.split()[0] for line in text.splitlines())

    def lose_results(self) -> None:
        """Let everything in the vault expire."""
        for vault in list(self.folder.rglob("vault")):
            shutil.rmtree(vault)

    def start_and_be_killed(self, prepare: Callable[[], None]) -> RunRecord | None:
        """A child starts a run; `prepare` arranges its death. The run, if it was begun."""
        self.ledger.unlink(missing_ok=True)
        return self._runs.start_and_be_killed(workflow(), prepare)

    async def resume(self, run: str) -> RunState:
        """Go on, and decide about writes in doubt by what the ledger says."""
        return await self._runs.resume(run)

    @property
    def _runs(self) -> KilledRuns:
        return KilledRuns(self.gateway, self.folder, self.store, lambda id: self.lines()[id] > 0)
