"""What a sick server costs the calls of a healthy one, behind the same `recollect serve`.

    PYTHONPATH=. python docs/measurements/sick_servers.py [CALLS]

While a client calls one server again and again, every way to be sick is tried beside it, in turn with nothing
beside it, so that the machine's load hits both alike. Prints the median and the 95th percentile of the
healthy calls, and their ratio to those alone. "busy" is a healthy neighbour that is called as often: what any
neighbour costs on this machine.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from tests.upstreams.raw_client import SERVER

from recollect.app.gateway import Gateway
from recollect.clock import utc_now
from recollect.gateway.listing import ServerListing
from recollect.gateway.tool import UpstreamTool
from recollect.paths import data_folder

ROUNDS = 4  # blocks of calls for each neighbour
# The behaviour of the server, and the tool that is called.
NEIGHBOURS = {
    "alone": ("", ""),
    "busy": ("shows", "pid"),
    "hangs at start": ("hangs", "pid"),
    "dies at start": ("dies", "pid"),
    "dies in a call": ("shows", "die"),
    "floods stderr": ("shows", "flood"),
    "returns 300,000 characters": ("shows", "large"),
    "returns invalid JSON": ("shows", "nonsense"),
    "changes its tools": ("shows", "change"),
    "answers the wrong id": ("shows", "wrong_id"),
    "changes its 500 tools": ("crowds", "change"),
}
Call = Callable[[str], Awaitable[Any]]


def entry(folder: Path, name: str, behaviour: str) -> dict[str, Any]:
    """A small server that gives up soon; its name makes its process one of its own."""
    arguments = ["-I", "-S", str(SERVER), str(folder / name), behaviour]
    return {"command": sys.executable, "args": arguments, "start_seconds": 1, "call_seconds": 1}


def prepare(folder: Path, env: dict[str, str]) -> dict[str, str]:
    """Configure a server for each neighbour; the id of the tool to call, by neighbour."""
    gateway = Gateway(Path(data_folder(env)), env, utc_now)
    tools = {}
    for number, (name, (behaviour, tool)) in enumerate(NEIGHBOURS.items()):
        server = f"n{number}"
        gateway.add(server, entry(folder, server, behaviour or "shows"))
        if behaviour in ("hangs", "dies"):
            gateway.record(server, ServerListing([UpstreamTool(server, tool, "", {"type": "object"})]))
        else:
            gateway.refresh(server)
        tools[name] = f"{server}:{tool or 'pid'}"
    return tools


async def block(call: Call, well: str, sick: str | None, calls: int) -> list[float]:
    """Milliseconds of each healthy call, with the sick server called without a pause."""
    times = []

    async def disturb(tool: str) -> None:
        while True:
            await call(tool)

    async with anyio.create_task_group() as tasks:
        if sick:
            tasks.start_soon(disturb, sick)
        for _ in range(calls):
            began = time.perf_counter()
            assert not (await call(well)).is_error
            times.append((time.perf_counter() - began) * 1000)
            await anyio.sleep(0.002)
        tasks.cancel_scope.cancel()
    return times


async def measure(folder: Path, env: dict[str, str], calls: int) -> dict[str, list[float]]:
    """The times of the healthy calls beside each neighbour."""
    tools = await anyio.to_thread.run_sync(prepare, folder, env)
    serve = StdioServerParameters(
        command=sys.executable, args=["-m", "recollect", "serve"], cwd=folder, env=env
    )
    times: dict[str, list[float]] = {name: [] for name in NEIGHBOURS}
    async with Client(serve, mode="legacy") as client:

        async def call(tool: str) -> Any:
            return await client.call_tool("call", {"tool": tool, "arguments": {}})

        well = tools["alone"]
        await block(call, well, None, 50)
        for _ in range(ROUNDS):
            for name in NEIGHBOURS:
                beside = None if name == "alone" else tools[name]
                times[name] += await block(call, well, beside, calls // ROUNDS)
    return times


def main() -> None:
    """Measure, and print a table."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 800
    with tempfile.TemporaryDirectory(prefix="r-") as name:
        folder = Path(name).resolve()
        (folder / ".claude" / "memory").mkdir(parents=True)
        env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
        times = anyio.run(measure, folder, env, calls)
    alone = statistics.median(times["alone"]), statistics.quantiles(times["alone"], n=20)[-1]
    print(
        "| beside a server that | p50 ms | p95 ms | p50 x alone | p95 x alone |\n|---|---|---|---|---|"
    )
    for name, values in times.items():
        p50, p95 = statistics.median(values), statistics.quantiles(values, n=20)[-1]
        print(f"| {name} | {p50:.2f} | {p95:.2f} | {p50 / alone[0]:.2f} | {p95 / alone[1]:.2f} |")


if __name__ == "__main__":
    main()
