"""The store at size: the first build of the index, prompts meanwhile, then search, list, save and upkeep."""

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from recollect import Draft
from recollect.app.opening import hook_command
from recollect.app.project import Recollect
from recollect.bench.generated_memories import SAMPLE_PROMPTS, generated_project
from recollect.bench.hook import BUDGET as PROMPT_BUDGET
from recollect.bench.hook import (
    HookRuns,
    alternated,
    clean_environment,
    prompt_event,
    write_transcript,
)
from recollect.bench.timing import timed
from recollect.interpreter import python
from recollect.records.json_format import Json
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request
from recollect.views.benches import BenchRow

STAT = "list and stat every file (baseline)"
READ = "read and parse every file (baseline)"
PROMPT = "prompt during the build"
_PAGE = 50  # memories on the first page of a list
_PAUSE = 0.25  # seconds between two prompts, so that the build goes on
_MOST_PROMPTS = 60
SECONDS = {"first search after a change": 1.0, "list": 1.0, "save one": 1.0}  # the budgets


def measure(count: int, rounds: int = 3) -> dict[str, BenchRow]:
    """Time the store over `count` memories.

    Work is compared with reading and parsing the same files, search, list and save with listing them, and
    prompts with starting Python. What reads every file is timed once.
    """
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        recollect = generated_project(folder, count)
        build, prompts = _first_build(folder)
        seconds = _seconds(recollect, rounds)
    read, stat = seconds[READ], seconds[STAT]
    rows: dict[str, BenchRow] = {
        name: _row(name, value, stat if name in SECONDS or name == STAT else read)
        for name, value in seconds.items()
    }
    median = prompts.p50_ms / 1000
    return {
        **rows,
        "first build": {"seconds": build, "ratio": build / read},
        PROMPT: {
            "seconds": median,
            "ratio": prompts.ratio,
            "cpu_ratio": prompts.cpu_ratio,
            "budget": PROMPT_BUDGET * median / prompts.ratio,
            "kept": prompts.ratio <= PROMPT_BUDGET,
        },
    }


def _row(name: str, seconds: float, base: float) -> BenchRow:
    row: BenchRow = {"seconds": seconds, "ratio": seconds / base}
    if name in SECONDS:
        row |= {"budget": SECONDS[name], "kept": seconds <= SECONDS[name]}
    return row


def _first_build(folder: Path) -> tuple[float, HookRuns]:
    """Build the index in a process of its own; its seconds, and the prompts that were sent meanwhile."""
    env = clean_environment(folder)
    write_transcript(folder)
    command = hook_command("claude-code", "UserPromptSubmit")
    runs: list[HookRuns] = []
    started = time.perf_counter()
    search = python("-m", "recollect", "search", "refund", "--json")
    with subprocess.Popen(search, cwd=folder, env=env, stdout=subprocess.DEVNULL) as process:
        while not runs or (process.poll() is None and len(runs) < _MOST_PROMPTS):
            event = prompt_event(folder, f"build-{len(runs)}")
            runs.append(alternated(command, [event], env))
            _wait(process)
        process.wait()
    hook = tuple(times for run in runs for times in run.hook)
    base = tuple(times for run in runs for times in run.base)
    return time.perf_counter() - started, HookRuns(hook, base)


def _wait(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(_PAUSE)
    except subprocess.TimeoutExpired:
        return


def _seconds(recollect: Recollect, rounds: int) -> dict[str, float]:
    """The seconds of each work, at the median where it is repeated."""
    root = recollect.root
    write_inventory = partial(
        recollect.upkeep.write_inventory,
    )
    slow: dict[str, Callable[[], object]] = {
        READ: lambda: _bare(root),
        "doctor": recollect.upkeep.examine,
        "index": write_inventory,
    }
    quick: dict[str, Callable[[], object]] = {
        STAT: lambda: _listed(root),
        "list": lambda: recollect.listing(Filters(), (), _silent, limit=_PAGE),
        "save one": lambda: recollect.memories.save(_draft(time.monotonic_ns())),
    }
    seconds = {name: timed(work) / 1000 for name, work in slow.items()}
    seconds |= {name: _median(work, rounds) for name, work in quick.items()}
    changes = [_search_after_change(recollect, turn) for turn in range(rounds)]
    return seconds | {"first search after a change": statistics.median(changes)}


def _silent(_done: int, _total: int) -> None:
    """Nobody looks at the progress."""


def _search_after_change(recollect: Recollect, turn: int) -> float:
    """The seconds of a search after one file was replaced, as git and Recollect do it."""
    path = next((recollect.root / "decisions").glob("*.json"))
    document = json.loads(path.read_bytes())
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(document | {"tags": [f"changed-{turn}"]}))
    fresh.replace(path)
    return timed(lambda: recollect.find(Request(SAMPLE_PROMPTS))) / 1000


def _listed(root: Path) -> int:
    """The bytes of all files, as one pass over the folders sees them."""
    size = 0
    for folder in root.iterdir():
        if folder.is_dir():
            with os.scandir(folder) as entries:
                size += sum(entry.stat().st_size for entry in entries)
    return size


def _bare(root: Path) -> int:
    return sum(len(json.loads(path.read_bytes())) for path in sorted(root.glob("*/*.json")))


def _draft(number: int) -> Draft:
    content: dict[str, Json] = {
        "topic": "bench",
        "value": f"Number {number}.",
        "reason": "To time it.",
        "strength": "soft",
    }
    return Draft(
        {"category": "preference", "title": f"Saved at {number}", "tags": ["bench"], "content": content}
    )


def _median(work: Callable[[], object], rounds: int) -> float:
    return statistics.median(timed(work) for _ in range(rounds)) / 1000
