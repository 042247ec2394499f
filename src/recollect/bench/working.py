"""What does working memory cost? Times in process, and of the hook as a process."""

import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from recollect.agents.harnesses import get_harness
from recollect.app.opening import hook_command, init_project
from recollect.bench.hook import BUDGET, HookRuns, alternated, baseline, clean_environment
from recollect.bench.metrics import percentile
from recollect.bench.timing import timed
from recollect.redaction.redact import redact
from recollect.views.benches import BenchWorkingOutput, WorkingRow
from recollect.working.default_rules import default_rules
from recollect.working.extraction import extract
from recollect.working.tool_result import read_tool_result

_ROUNDS = 200  # of what takes microseconds
_FAILING = "FAILED tests/test_orders.py::test_total_{0} - assert {0} == 40\n"
_LINES = (
    "tests/test_orders.py::test_total PASSED                                     [ 12%]\n",
    '  File "/home/dev/shop/src/orders/total.py", line 42, in total\n',
    "    return sum(line.price * line.count for line in self.lines)\n",
    "2026-11-15T10:00:00Z INFO orders.worker: 18 orders in 0.42 s, commit 4f1c2a9 on main\n",
    "   1 -> GET https://shop.example.org/api/v2/orders?page=3&limit=50 200 OK\n",
    'DATABASE_URL = os.environ["DATABASE_URL"]  # never in the repository\n',
)


def measure(rounds: int = 30) -> BenchWorkingOutput:
    """Time the gate, the rules and the tool-output hook. Runs of the hook and of the baseline alternate."""
    output = _output(4_000)
    rows = [
        _in_process("redaction of 2 KB", lambda: redact(_output(2_000)), 2.0),
        _in_process("redaction of 50 KB", lambda: redact(_output(50_000)), 20.0),
        _in_process("extraction of one output", lambda: _extract(output), 5.0),
    ]
    with _project() as (folder, env):
        timed: list[HookRuns] = []
        for name, tool, tool_input, response in _calls(folder, output):
            command = hook_command("claude-code", "PostToolUse")
            events = [
                _event(folder, f"bench-{turn % 5}", tool, tool_input, response)
                for turn in range(rounds)
            ]
            runs = alternated(command, events, env)
            rows.append(_as_process(name, runs))
            timed.append(runs)
    return {"base_ms": baseline(timed), "results": rows}


def _extract(output: str) -> object:
    """Observe and extract a failed test run, without the gate, which has a separate row."""
    call = read_tool_result("Bash", {"command": "pytest -q"}, output, failed=True)
    rules = default_rules(get_harness("claude-code").tools)
    return extract(call, rules, lambda text: (text, ()))


def _in_process(name: str, work: Callable[[], object], budget: float) -> WorkingRow:
    work()
    times = [timed(work) for _ in range(_ROUNDS)]
    p95 = percentile(times, 0.95)
    return {
        "name": name,
        "p50_ms": round(statistics.median(times), 3),
        "p95_ms": round(p95, 3),
        "budget": f"{budget} ms",
        "kept": p95 < budget,
    }


def _as_process(name: str, runs: HookRuns) -> WorkingRow:
    return {"name": name, **runs.times, "budget": f"{BUDGET}x", "kept": runs.ratio <= BUDGET}


def _output(characters: int) -> str:
    """What a test run prints: passed and failed tests, a trace, addresses, and no secret."""
    lines: list[str] = []
    size = 0
    while size < characters:
        number = len(lines)
        line = _FAILING.format(number) if number % 40 == 9 else _LINES[number % len(_LINES)]
        lines.append(line)
        size += len(line)
    return "".join(lines)[:characters]


def _calls(
    folder: Path, output: str
) -> Iterator[tuple[str, str, Mapping[str, str], Mapping[str, object]]]:
    file = str(folder / "src" / "orders.py")
    yield "hook: a file read, nothing kept", "Read", {"file_path": file}, {"text": output}
    yield "hook: a file edited", "Edit", {"file_path": file}, {"success": True}
    yield "hook: failing tests", "Bash", {"command": "pytest -q"}, {"stdout": output}


def _event(
    folder: Path, session: str, tool: str, tool_input: Mapping[str, str], response: Mapping[str, object]
) -> bytes:
    event = {
        "session_id": session,
        "cwd": str(folder),
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_response": response,
    }
    return json.dumps(event).encode()


@contextmanager
def _project() -> Iterator[tuple[Path, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        env = clean_environment(folder)
        init_project(folder, env=env)
        subprocess.run(
            hook_command("claude-code", "PostToolUse"),
            input=_event(folder, "first", "Read", {}, {}),
            env=env,
            check=True,
        )
        yield folder, env
