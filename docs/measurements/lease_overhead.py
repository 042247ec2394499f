"""What the broker costs: calls over a lease beside calls to a process of one's own, alternating, in one run.

    python docs/measurements/lease_overhead.py [CALLS] [-- COMMAND ARGUMENT...]

The default server is mcp-server-time. Prints both medians and 95th percentiles in milliseconds, their ratio,
and the broker's memory and descriptors before and after.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio

from recollect.gateway.upstream import StdioServer, Upstream
from recollect.upstreams.broker_client import ask
from recollect.upstreams.client_roots import NoClient
from recollect.upstreams.connection import UpstreamConnection, connected
from recollect.upstreams.lease import Workplace, leased
from recollect.upstreams.lease_request import ControlRequest

WARM_UP = 50


async def timed(connection: UpstreamConnection) -> float:
    """Milliseconds of one call."""
    began = time.perf_counter()
    await connection.call("get_current_time", {"timezone": "Europe/Berlin"})
    return (time.perf_counter() - began) * 1000


async def compare(upstream: Upstream, calls: int, folder: Path) -> dict[str, list[float]]:
    """The times of `calls` calls each way, taken in turn so that the machine's load hits both alike."""
    workplace = Workplace(str(folder))
    times: dict[str, list[float]] = {"direct": [], "leased": []}
    async with (
        connected(upstream, folder / "direct.log") as direct,
        leased(upstream, folder / "leased.log", folder, workplace, NoClient()) as lease,
    ):
        for _ in range(WARM_UP):
            await timed(direct)
            await timed(lease)
        print("broker before:", usage(folder))
        for _ in range(calls):
            times["direct"].append(await timed(direct))
            times["leased"].append(await timed(lease))
        print("broker after: ", usage(folder))
    return times


def usage(folder: Path) -> str:
    """Memory and open descriptors of the broker."""
    answer = ask(folder, ControlRequest("states"))
    if answer is None:
        return "none runs"
    process = Path(f"/proc/{answer['pid']}")
    pages = int((process / "statm").read_text().split()[1])
    megabytes = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return f"{megabytes:.1f} MB, {len(list((process / 'fd').iterdir()))} descriptors"


def main() -> None:
    """Read the command line, measure, and print."""
    own, _, rest = " ".join(sys.argv[1:]).partition("--")
    command = rest.split() or [sys.executable, "-m", "mcp_server_time"]
    upstream = Upstream("measured", StdioServer(command[0], tuple(command[1:])))
    with tempfile.TemporaryDirectory() as folder:
        times = anyio.run(compare, upstream, int(own or 1000), Path(folder))
    medians = {}
    for way, values in times.items():
        medians[way] = statistics.median(values)
        p95 = statistics.quantiles(values, n=20)[-1]
        print(f"{way}: p50 {medians[way]:.2f} ms, p95 {p95:.2f} ms")
    print(f"ratio of medians: {medians['leased'] / medians['direct']:.2f}")


if __name__ == "__main__":
    main()
