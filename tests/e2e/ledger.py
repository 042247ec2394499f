"""A real server that writes down each call, and runs over it: for tests of faults."""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import anyio
from tests.upstreams.servers import light_entry

from recollect.app.gateway import Gateway
from recollect.app.local_runs import local_runs
from recollect.app.run_store import open_run_store
from recollect.clock import utc_now
from recollect.records.json_format import Json, JsonObject
from recollect.workflow.commands import Command, CommandName
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

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder = folder
        self.ledger = data / "ledger"
        self.gateway = Gateway(data, {"HOME": str(folder)}, utc_now)
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
