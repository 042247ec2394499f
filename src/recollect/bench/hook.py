"""What does a prompt wait for? The whole hook process, against starting Python with two modules."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recollect.app.opening import hook_command
from recollect.bench.generated_memories import SAMPLE_PROMPTS, generated_project
from recollect.bench.metrics import percentile

_IMPORTS = ["-c", "import json, sqlite3"]
BASE = [shutil.which("python3") or sys.executable, *_IMPORTS]  # as a shell would start it
DIRECT = [sys.executable, *_IMPORTS]  # the interpreter itself, past any version manager's shim
_TRANSCRIPT = "transcript.jsonl"
_CONVERSATION = [
    row
    for turn in range(20)
    for row in (
        {"type": "user", "message": {"content": f"Now look at the import, step {turn}, please."}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "It is done. " * 20}]}},
    )
]
BUDGETS = {500: 1.0, 10_000: 1.1, 100_000: 1.5}


@dataclass(frozen=True, slots=True)
class HookRow:
    """Milliseconds of the whole process at one size, and the median as a ratio to both baselines."""

    size: int
    p50_ms: float
    p95_ms: float
    ratio: float
    direct_ratio: float
    answered: bool


@dataclass(frozen=True, slots=True)
class HookMeasurement:
    """The baselines in milliseconds, and the hook at each size."""

    base_ms: float
    direct_ms: float
    rows: tuple[HookRow, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """Milliseconds of a hook's runs and of those of both baselines, which alternated with them."""

    hook: tuple[float, ...]
    base: tuple[float, ...]
    direct: tuple[float, ...]

    @property
    def p50_ms(self) -> float:
        return statistics.median(self.hook)

    @property
    def p95_ms(self) -> float:
        return percentile(self.hook, 0.95)

    @property
    def ratios(self) -> tuple[float, float]:
        """The median to that of `python3` as a shell starts it, and to that of the interpreter itself."""
        return self.p50_ms / statistics.median(self.base), self.p50_ms / statistics.median(self.direct)


def alternated(command: list[str], events: Iterable[bytes], env: Mapping[str, str]) -> Runs:
    """Run a hook with each event, and the baselines in between."""
    times = [
        (_timed(command, event, env), _timed(BASE, b"", env), _timed(DIRECT, b"", env))
        for event in events
    ]
    return Runs(*zip(*times, strict=True))


def baselines(runs: Sequence[Runs]) -> tuple[float, float]:
    """The medians of both baselines over all of them."""
    return (
        statistics.median(time for one in runs for time in one.base),
        statistics.median(time for one in runs for time in one.direct),
    )


def measure(sizes: list[int], rounds: int = 30) -> HookMeasurement:
    """Time the hook at each size. Runs of it and of the baselines alternate."""
    timed: list[Runs] = []
    rows = []
    for size in sizes:
        with _project(size) as (folder, env):
            command = hook_command("claude-code", "UserPromptSubmit")
            answered = bool(_run(command, _event(folder, "first"), env).stdout)
            runs = alternated(command, [_event(folder, f"bench-{turn}") for turn in range(rounds)], env)
        rows.append(HookRow(size, runs.p50_ms, runs.p95_ms, *runs.ratios, answered))
        timed.append(runs)
    return HookMeasurement(*baselines(timed), tuple(rows))


@contextmanager
def _project(size: int) -> Iterator[tuple[Path, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        generated_project(folder, size).search.update_index()
        (folder / _TRANSCRIPT).write_text("".join(json.dumps(row) + "\n" for row in _CONVERSATION))
        yield folder, clean_environment(folder)


def clean_environment(folder: Path) -> dict[str, str]:
    """This environment without anything of ours, and with a home in `folder`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RECOLLECT_")}
    return kept | {"RECOLLECT_HOME": str(folder / "home")}


def _event(folder: Path, session: str) -> bytes:
    told = {
        "session_id": session,
        "cwd": str(folder),
        "prompt": SAMPLE_PROMPTS,
        "transcript_path": str(folder / _TRANSCRIPT),
    }
    return json.dumps(told | {"hook_event_name": "UserPromptSubmit"}).encode()


def _timed(command: list[str], given: bytes, env: Mapping[str, str]) -> float:
    """Milliseconds of a whole process."""
    start = time.perf_counter()
    _run(command, given, env)
    return (time.perf_counter() - start) * 1000


def _run(
    command: list[str], given: bytes, env: Mapping[str, str]
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(command, input=given, capture_output=True, check=True, env=env)
