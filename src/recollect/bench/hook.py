"""What does a prompt wait for? The whole hook process, against starting Python with two modules."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from recollect.app.opening import hook_command
from recollect.bench.generated_memories import SAMPLE_PROMPTS, generated_project
from recollect.bench.metrics import percentile
from recollect.bench.timing import timed
from recollect.views.benches import BenchHookOutput, HookTimes

# The interpreter that runs Recollect, called directly. What a shell finds as `python3` may be the shim of a
# version manager, or have packages that run code at every start.
BASE = [sys.executable, "-P", "-c", "import json, sqlite3"]
BUDGET = 1.5  # times the baseline, for the prompt hook at every size and for the tool-output hook
_TRANSCRIPT = "transcript.jsonl"
_CONVERSATION = [
    row
    for turn in range(20)
    for row in (
        {"type": "user", "message": {"content": f"Now look at the import, step {turn}, please."}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "It is done. " * 20}]}},
    )
]
BUDGETS = {500: BUDGET, 10_000: BUDGET, 100_000: BUDGET}


@dataclass(frozen=True, slots=True)
class ProcessTime:
    """How long a process took, in milliseconds: by the clock, and of a processor."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class HookRuns:
    """The times of a hook's runs, and of the baseline's, which alternated with them."""

    hook: tuple[ProcessTime, ...]
    base: tuple[ProcessTime, ...]

    @property
    def p50_ms(self) -> float:
        return statistics.median(run.wall for run in self.hook)

    @property
    def p95_ms(self) -> float:
        return percentile([run.wall for run in self.hook], 0.95)

    @property
    def ratio(self) -> float:
        """The hook's median to the baseline's."""
        return self.p50_ms / statistics.median(run.wall for run in self.base)

    @property
    def cpu_ratio(self) -> float:
        """The same of processor time."""
        hook, base = (statistics.median(run.cpu for run in runs) for runs in (self.hook, self.base))
        return hook / base

    @property
    def times(self) -> HookTimes:
        """The hook's times as they are printed."""
        return {
            "p50_ms": round(self.p50_ms, 2),
            "p95_ms": round(self.p95_ms, 2),
            "ratio": round(self.ratio, 3),
            "cpu_ratio": round(self.cpu_ratio, 3),
        }


def alternated(command: list[str], events: Iterable[bytes], env: Mapping[str, str]) -> HookRuns:
    """Run a hook with each event, and the baseline in between."""
    times = [
        (_timed(partial(_run, command, event, env)), _timed(partial(_run, BASE, b"", env)))
        for event in events
    ]
    return HookRuns(*zip(*times, strict=True))


def baseline(runs: Iterable[HookRuns]) -> float:
    """The median of the baseline over all runs, rounded."""
    return round(statistics.median(base.wall for run in runs for base in run.base), 2)


def measure(sizes: list[int], rounds: int = 30) -> BenchHookOutput:
    """Time the hook at each size. Its runs and the baseline's alternate."""
    timed: dict[str, HookRuns] = {}
    for size in sizes:
        with _project(size) as (folder, env):
            command = hook_command("claude-code", "UserPromptSubmit")
            _run(command, prompt_event(folder, "first"), env)
            events = [prompt_event(folder, f"bench-{turn}") for turn in range(rounds)]
            timed[str(size)] = alternated(command, events, env)
    return {
        "base_ms": baseline(timed.values()),
        "sizes": {size: runs.times for size, runs in timed.items()},
    }


@contextmanager
def _project(size: int) -> Iterator[tuple[Path, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        generated_project(folder, size).search.update_index()
        write_transcript(folder)
        yield folder, clean_environment(folder)


def clean_environment(folder: Path) -> dict[str, str]:
    """This environment without variables of Recollect, and with a home in `folder`."""
    others = {key: value for key, value in os.environ.items() if not key.startswith("RECOLLECT_")}
    return others | {"RECOLLECT_HOME": str(folder / "home")}


def write_transcript(folder: Path) -> None:
    """Write the conversation that the prompts of `prompt_event` belong to."""
    (folder / _TRANSCRIPT).write_text("".join(json.dumps(row) + "\n" for row in _CONVERSATION))


def prompt_event(folder: Path, session: str) -> bytes:
    """A prompt as Claude Code sends it."""
    fields = {
        "session_id": session,
        "cwd": str(folder),
        "prompt": SAMPLE_PROMPTS,
        "transcript_path": str(folder / _TRANSCRIPT),
    }
    return json.dumps(fields | {"hook_event_name": "UserPromptSubmit"}).encode()


def _timed(process: Callable[[], object]) -> ProcessTime:
    """The time of a process that ends before it returns."""
    before = _children_cpu()
    wall = timed(process)
    return ProcessTime(wall, _children_cpu() - before)


def _children_cpu() -> float:
    """Milliseconds of processor time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1000


def _run(
    command: list[str], data: bytes, env: Mapping[str, str]
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(command, input=data, capture_output=True, check=True, env=env)
