"""Importing many transcripts: how much memory it takes, and how long beside parsing the same lines."""

import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.app.opening import init_project
from recollect.interpreter import python
from recollect.views.benches import BenchTranscriptsOutput

BUDGET_MB = 200
_MB = 1024 * 1024
_PARSE = (
    "import json, pathlib, sys\n"
    "for path in pathlib.Path(sys.argv[1]).rglob('*.jsonl'):\n"
    "    with path.open('rb') as file:\n"
    "        for line in file:\n"
    "            json.loads(line)\n"
)
_IMPORT = "from recollect.cli.main import main; main()"
_PROMPTS = (
    "Please fix the rounding in the invoice total number {}.",
    "The export of report {} is empty since yesterday, have a look.",
    "Rename the column of table {} and adapt the queries.",
    "We always run migration {} in two steps, because the old release still reads the table.",
    "Why does page {} load so slowly?",
)
_FAILURE = (
    "FAILED tests/test_part_{0}.py::test_total - AssertionError: assert {0} == 4\n1 failed in 0.10s"
)


def write_transcripts(home: Path, folder: Path, sessions: int, size: int) -> int:
    """Write so many Claude Code transcripts of about `size` bytes each; returns the bytes of all."""
    chance, total = random.Random(7), 0  # noqa: S311 - text to measure with
    place = home / ".claude" / "projects" / "bench"
    place.mkdir(parents=True)
    for number in range(sessions):
        written = 0
        with (place / f"session-{number}.jsonl").open("w") as file:
            for row in _rows(chance, f"session-{number}", folder):
                line = json.dumps(row) + "\n"
                file.write(line)
                written += len(line)
                if written >= size:
                    break
        total += written
    return total


def _rows(chance: random.Random, session: str, folder: Path) -> Iterator[dict[str, Any]]:
    """A session without end: prompts, reads of long files, edits, tests that fail and then pass, commits."""
    step = 0
    while True:
        part = chance.randrange(1000)
        yield _row(session, folder, step, "user", chance.choice(_PROMPTS).format(part))
        text = " ".join(chance.choices(("value", "total", "def", "return", "0x1f", "order"), k=9000))
        file = f"{folder}/shop/part_{part % 40}.py"
        calls: tuple[tuple[str, dict[str, str], str, bool], ...] = (
            ("Read", {"file_path": file}, text, False),
            (
                "Bash",
                {"command": f"pytest tests/test_part_{part % 40}.py"},
                _FAILURE.format(part % 40),
                True,
            ),
            ("Edit", {"file_path": file, "old_string": "a", "new_string": text[:2000]}, "ok", False),
            ("Bash", {"command": f"pytest tests/test_part_{part % 40}.py"}, "1 passed", False),
            ("Bash", {"command": "git commit -am x"}, f"[main 1a2b3c4] Fix part {part}", False),
        )
        for tool, fields, output, failed in calls:
            step += 1
            use = {"type": "tool_use", "id": f"t{step}", "name": tool, "input": fields}
            result = {"type": "tool_result", "tool_use_id": f"t{step}", "content": output}
            yield _row(session, folder, step, "assistant", [use])
            yield _row(session, folder, step, "user", [{**result, "is_error": failed}])
        yield _row(session, folder, step, "assistant", [{"type": "text", "text": f"Done with {part}."}])


def _row(session: str, folder: Path, step: int, role: str, content: Any) -> dict[str, Any]:
    at = f"2026-03-{1 + step // 86_400:02}T{step // 3600 % 24:02}:{step // 60 % 60:02}:{step % 60:02}Z"
    facts = {"type": role, "sessionId": session, "cwd": str(folder), "timestamp": at}
    return {**facts, "message": {"role": role, "content": content}}


@dataclass(frozen=True, slots=True)
class ChildRun:
    """How long a child ran, and the most memory that it had."""

    seconds: float
    peak_mb: float
    output: str


def _run(home: Path, code: str, *arguments: str) -> ChildRun:
    env = {"HOME": str(home), "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([*python(), "-c", code, *arguments], env=env, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        out.seek(0)
        if child.returncode:
            raise RuntimeError(f"the import ended with exit code {child.returncode}")
        return ChildRun(seconds, usage.ru_maxrss / 1024, out.read())


def measure(sessions: int, megabytes: int) -> BenchTranscriptsOutput:
    """Import so many transcripts in a process of its own, and again; then parse the same lines."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        home, folder = Path(name) / "home", Path(name) / "shop"
        folder.mkdir()
        total = write_transcripts(home, folder, sessions, megabytes * _MB // sessions)
        init_project(folder, env={"HOME": str(home)})
        words = ("--project", str(folder), "import", "transcripts", "--yes", "--json")
        first, again = _run(home, _IMPORT, *words), _run(home, _IMPORT, *words)
        baseline = _run(home, _PARSE, str(home / ".claude"))
        counts = json.loads(first.output)
        repeated = json.loads(again.output)
    return {
        "sessions": sessions,
        "megabytes": round(total / _MB, 1),
        "imported": counts["created"],
        "drafts": counts["drafts"],
        "imported_again": repeated["created"],
        "seconds": round(first.seconds, 2),
        "again_seconds": round(again.seconds, 2),
        "ratio": round(first.seconds / baseline.seconds, 2),
        "peak_mb": round(first.peak_mb, 1),
        "baseline_peak_mb": round(baseline.peak_mb, 1),
        "budget_mb": BUDGET_MB,
        "met": first.peak_mb < BUDGET_MB,
    }
