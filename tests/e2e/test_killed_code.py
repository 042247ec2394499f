"""kill -9 while code waits for a person: it goes on after the approval, and its worker does not stay."""

import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from tests.requirements import requirement
from tests.upstreams.servers import entry

from recollect.app.gateway import Gateway
from recollect.app.local_runs import local_runs
from recollect.app.run_store import RunStore, open_run_store
from recollect.clock import utc_now
from recollect.views.code import code_output, code_workflow
from recollect.workflow.commands import Command
from recollect.workflow.run_state import RunState

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
_PATIENCE = 60.0  # seconds
PROJECT = Path(__file__).parents[2]

LEDGER = """
import sys
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("ledger")

def line(text: str) -> str:
    with open(sys.argv[1], "a") as file:
        file.write(text + "\\n")
    return text

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look(text: str) -> str:
    return line(text)

@server.tool(annotations=ToolAnnotations(read_only_hint=False))
def note(text: str) -> str:
    return line(text)

server.run("stdio")
"""
CODE = """
import random
number = random.randint(0, 10**9)
print('drew', number)
seen = await ledger_look(text=f'look {number}')
noted = await ledger_note(text=f'note {number}')
[number, seen['result'], noted['result']]
"""


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def workers(parent: int) -> list[int]:
    """The sandbox's worker processes of a process."""
    processes: list[int] = []
    for folder in Path("/proc").iterdir():
        try:
            above = folder.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            if int(above) == parent and b"monty" in folder.joinpath("cmdline").read_bytes():
                processes.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return processes


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def hold(data: str, project: str) -> None:
    """Start the code, and stay."""
    folder = Path(project)
    gateway = Gateway(Path(data), {"HOME": project}, utc_now)
    store = open_run_store(gateway, folder)
    async with local_runs(gateway, folder, store) as runs:
        await (await runs.start(code_workflow(CODE, {}))).driver.rest()
        await anyio.sleep_forever()


async def go_on(gateway: Gateway, folder: Path, store: RunStore, run: str) -> RunState:
    async with local_runs(gateway, folder, store) as runs:
        live = await runs.resume(run)
        await live.driver.rest()
        return live.state


@requirement("sandbox:suspension")
def test_code_that_waits_for_approval_survives_kill_9(tmp_path: Path) -> None:
    folder, data = tmp_path / "project", tmp_path / "data"
    folder.mkdir()
    ledger = tmp_path / "ledger"
    gateway = Gateway(data, {"HOME": str(folder)}, utc_now)
    server = entry(LEDGER)
    gateway.add("ledger", {**server, "args": [*server["args"], str(ledger)]})
    gateway.refresh("ledger")
    store = open_run_store(gateway, folder)

    script = "import anyio, sys, tests.e2e.test_killed_code as me\nanyio.run(me.hold, *sys.argv[1:])"
    command = [sys.executable, "-c", script, str(data), str(folder)]
    with subprocess.Popen(command, cwd=PROJECT) as child:
        try:
            until(lambda: any(record.status == "paused" for record in store.journal.runs(1)))
            orphans = workers(child.pid)
        finally:
            child.kill()

    [record] = store.journal.runs(1)
    waiting = store.state(record.id).tasks["code-2"]
    assert waiting.status == "waiting_approval"
    decision = {"task": "code-2", "approval": waiting.approval}
    approve = Command(secrets.token_hex(8), "approve", dict(decision), "person")
    store.journal.send(record.id, approve, store.now())
    output = code_output(record.id, anyio.run(go_on, gateway, folder, store, record.id))

    assert output["status"] == "succeeded"
    number = output["result"][0]
    assert output["result"] == [number, f"look {number}", f"note {number}"]
    assert output["printed"] == f"drew {number}\n"
    assert ledger.read_text().splitlines() == [f"look {number}", f"note {number}"]
    assert orphans
    until(lambda: not any(map(is_alive, orphans)))
