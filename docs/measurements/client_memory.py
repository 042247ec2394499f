"""What each client of a running broker costs in memory: `recollect serve` with one loaded model for all.

    python docs/measurements/client_memory.py [CLIENTS] [MODELS]

MODELS is a folder with the installed default model (default: the user's own). Every client makes one search
by meaning among tools. Prints resident and private memory in MB of each process: private is what one more
process costs, because the rest is the same pages of Python and its libraries. For comparison, one `serve`
without a broker, which loads the model itself.
"""

import os
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from recollect.app.gateway import Gateway
from recollect.bench.generated_memories import fill
from recollect.clock import utc_now
from recollect.paths import cache_folder, data_folder

TIME = [sys.executable, "-m", "mcp_server_time"]
KINDS = {b"model_process": "model", b"upstreams.broker": "broker", b"serve": "serve"}


def usage(home: Path) -> list[tuple[str, float, float]]:
    """Kind, resident and private memory of every process of ours with this home."""
    rows = []
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes()
            kinds = [kind for word, kind in KINDS.items() if word in words and b"guardian" not in words]
            if not process.name.isdigit() or not kinds or str(home).encode() not in _places(process):
                continue
            sizes = {
                line.split(":")[0]: int(line.split()[1]) / 1000
                for line in (process / "smaps_rollup").read_text().splitlines()[1:]
            }
        except OSError:
            continue
        rows.append((kinds[0], sizes["Rss"], sizes["Private_Clean"] + sizes["Private_Dirty"]))
    return sorted(rows)


def _places(process: Path) -> bytes:
    return (process / "environ").read_bytes() + (process / "cmdline").read_bytes()


async def measure(folder: Path, env: dict[str, str], clients: int, tool: str) -> None:
    """Start clients one after the other, let each search, and print what their processes cost."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "recollect", "serve"], cwd=folder, env=env
    )
    name = "request" if tool == "discover" else "query"
    async with AsyncExitStack() as stack:
        for _ in range(clients):
            client = await stack.enter_async_context(Client(parameters, mode="legacy"))
            for _ in range(3):
                result = await client.call_tool(tool, {name: "what is the hour in another town"})
                assert not result.is_error, result
        for kind, resident, private in usage(folder):
            print(f"{kind}: resident {resident:.1f} MB, private {private:.1f} MB")


def main() -> None:
    """Measure clients of a broker, then one without."""
    clients = int(sys.argv[1]) if len(sys.argv) > 1 else 13
    own = Path(cache_folder(os.environ)) / "models"
    models = Path(sys.argv[2]) if len(sys.argv) > 2 else own
    for has_broker in (True, False):
        with tempfile.TemporaryDirectory(prefix="r-") as name:
            folder = Path(name).resolve()
            env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
            fill(folder / ".claude" / "memory", 20)
            Path(cache_folder(env)).mkdir(parents=True)
            (Path(cache_folder(env)) / "models").symlink_to(models)
            if has_broker:
                gateway = Gateway(Path(data_folder(env)), env, utc_now)
                gateway.add("time", {"command": TIME[0], "args": TIME[1:]})
                gateway.refresh("time")
            print(f"{clients} clients of a broker" if has_broker else "one client without a broker")
            tool = "discover" if has_broker else "memory_search"
            anyio.run(measure, folder, env, clients if has_broker else 1, tool)


if __name__ == "__main__":
    main()
