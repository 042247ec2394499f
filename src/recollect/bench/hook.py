"""What does a prompt wait for? The whole hook process, against starting Python with two modules."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recollect.app import hook_command
from recollect.bench.corpus import made_up_project
from recollect.bench.metrics import percentile

BASE = [sys.executable, "-c", "import json, sqlite3"]
BUDGETS = {500: 1.0, 10_000: 1.1, 100_000: 1.5}
_PROMPT = "why does the refund webhook of the partner time out after a rollback"


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds of the whole process at one size, and the ratio of its median to the baseline's."""

    size: int
    p50_ms: float
    p95_ms: float
    ratio: float
    answered: bool


def measure(sizes: list[int], rounds: int = 30) -> tuple[float, list[Row]]:
    """The baseline in milliseconds, and the hook at each size. Runs of both alternate."""
    bases: list[float] = []
    rows = []
    for size in sizes:
        with _project(size) as (folder, env):
            command = hook_command("claude-code", "UserPromptSubmit")
            answered = bool(_run(command, _event(folder, "first"), env).stdout)
            hooks, base = [], []
            for turn in range(rounds):
                base.append(_timed(BASE, b"", env))
                hooks.append(_timed(command, _event(folder, f"bench-{turn}"), env))
            median = statistics.median(hooks)
            rows.append(
                Row(size, median, percentile(hooks, 0.95), median / statistics.median(base), answered)
            )
            bases += base
    return statistics.median(bases), rows


@contextmanager
def _project(size: int) -> Iterator[tuple[Path, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        made_up_project(folder, size).finder.library.index()
        kept = {key: value for key, value in os.environ.items() if not key.startswith("RECOLLECT_")}
        yield folder, kept | {"RECOLLECT_HOME": str(folder / "home")}


def _event(folder: Path, session: str) -> bytes:
    told = {"session_id": session, "cwd": str(folder), "prompt": _PROMPT}
    return json.dumps(told | {"hook_event_name": "UserPromptSubmit"}).encode()


def _timed(command: list[str], given: bytes, env: Mapping[str, str]) -> float:
    start = time.perf_counter()
    _run(command, given, env)
    return (time.perf_counter() - start) * 1000


def _run(
    command: list[str], given: bytes, env: Mapping[str, str]
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(command, input=given, capture_output=True, check=True, env=env)
