"""The file store at size: list, doctor, index and save, against reading the same files bare."""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from recollect import Draft
from recollect.bench.generated_memories import generated_project
from recollect.bench.timing import timed
from recollect.records.json_format import Json
from recollect.views.benches import BenchRow


def measure(count: int, rounds: int = 3) -> dict[str, BenchRow]:
    """Time the store over `count` memories: seconds of each work. The baseline parses every file's JSON."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        recollect = generated_project(Path(folder), count)
        root = recollect.root
        write_inventory = partial(recollect.upkeep.write_inventory, user=False)
        write_inventory()
        works: dict[str, Callable[[], object]] = {
            "read and parse every file (baseline)": lambda: _bare(root),
            "list": recollect.memories.scan,
            "doctor": recollect.upkeep.examine,
            "index": write_inventory,
            "save one": lambda: recollect.memories.save(_draft(time.monotonic_ns())),
        }
        medians = {name: _median(work, rounds) for name, work in works.items()}
    base = next(iter(medians.values()))
    return {name: {"seconds": seconds, "ratio": seconds / base} for name, seconds in medians.items()}


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
