"""What a call through `recollect serve` costs beside a direct one to the same server, in turn, in one run.

    python docs/measurements/proxied_call.py [CALLS]

The server is mcp-server-time. Prints medians and 95th percentiles in milliseconds, the ratio of the medians,
the processor time of a call in each process, which a busy machine changes less, and the memory and open files
of our processes before and after.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from recollect.app.gateway import Gateway
from recollect.clock import utc_now
from recollect.paths import data_folder

WARM_UP = 50
TIME = [sys.executable, "-m", "mcp_server_time"]
ARGUMENTS = {"timezone": "Europe/Berlin"}
OURS = (b"recollect", b"broker")
WORDS = {"broker": b"upstreams.broker", "server": b"mcp_server_time", "serve": b"serve"}
CALLS_OF = {"serve": 2, "broker": 2, "server": 3}  # in each turn, by all processes of the kind


async def timed(client: Client, tool: str, arguments: dict[str, Any]) -> float:
    """Milliseconds of one call."""
    began = time.perf_counter()
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return (time.perf_counter() - began) * 1000


async def compare(folder: Path, env: dict[str, str], calls: int) -> dict[str, list[float]]:
    """The times of `calls` calls each way, taken in turn so that the machine's load hits all alike."""
    direct_server = StdioServerParameters(command=TIME[0], args=TIME[1:])
    serve = StdioServerParameters(
        command=sys.executable, args=["-m", "recollect", "serve"], cwd=folder, env=env
    )
    proxied = serve.model_copy(update={"env": env | {"RECOLLECT_GATEWAY_EXPOSURE": "proxy"}})
    async with (
        Client(direct_server, mode="legacy") as direct,
        Client(serve, mode="legacy") as meta,
        Client(proxied, mode="legacy") as proxy,
    ):
        ways: dict[str, tuple[Client, str, dict[str, Any]]] = {
            "direct": (direct, "get_current_time", ARGUMENTS),
            "meta": (meta, "call", {"tool": "time:get_current_time", "arguments": ARGUMENTS}),
            "proxy": (proxy, "time__get_current_time", ARGUMENTS),
        }
        times: dict[str, list[float]] = {way: [] for way in ways}
        for turn in range(WARM_UP + calls):
            if turn == WARM_UP:
                print("ours before:", usage(folder))
                times, before = {way: [] for way in ways}, processor_times(folder)
            for way, (client, tool, arguments) in ways.items():
                times[way].append(await timed(client, tool, arguments))
        print("ours after: ", usage(folder))
        for kind, milliseconds in processor_times(folder).items():
            spent = (milliseconds - before[kind]) / calls / CALLS_OF[kind]
            print(f"processor time of a call in the {kind}: {spent:.2f} ms")
    return times


def processor_times(folder: Path) -> dict[str, float]:
    """Milliseconds that processes of each kind have run so far."""
    spent = dict.fromkeys(CALLS_OF, 0.0)
    for process in Path("/proc").iterdir():
        try:
            line = (process / "cmdline").read_bytes()
            home = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        is_ours = process.name.isdigit() and (
            f"HOME={folder}".encode() in home
            or (process / "stat").read_text().split()[3] == str(os.getpid())
        )
        kinds = [kind for kind, word in WORDS.items() if word in line and b"guardian" not in line]
        for kind in kinds[:1] if is_ours else ():
            threads = (process / "task").glob("*/schedstat")
            spent[kind] += sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6
    return spent


def usage(folder: Path) -> str:
    """Memory and open descriptors of every `serve` in the folder and of the broker."""
    parts = []
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes()
            if not process.name.isdigit() or not any(word in words for word in OURS):
                continue
            if (process / "cwd").readlink() not in (folder, Path("/")):
                continue
            pages = int((process / "statm").read_text().split()[1])
            descriptors = len(list((process / "fd").iterdir()))
        except OSError:
            continue
        parts.append(f"{pages * os.sysconf('SC_PAGE_SIZE') / 1e6:.1f} MB {descriptors} fd")
    return ", ".join(sorted(parts))


def main() -> None:
    """Set up a user with one server, measure, and print."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory(prefix="r-") as name:
        folder = Path(name).resolve()
        (folder / ".claude" / "memory").mkdir(parents=True)
        env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
        gateway = Gateway(Path(data_folder(env)), env, utc_now)
        gateway.add("time", {"command": TIME[0], "args": TIME[1:]})
        gateway.refresh("time")
        times = anyio.run(compare, folder, env, calls)
    medians = {way: statistics.median(values) for way, values in times.items()}
    for way, values in times.items():
        p95 = statistics.quantiles(values, n=20)[-1]
        ratio = medians[way] / medians["direct"]
        print(f"{way}: p50 {medians[way]:.2f} ms, p95 {p95:.2f} ms, {ratio:.2f} x direct")


if __name__ == "__main__":
    main()
