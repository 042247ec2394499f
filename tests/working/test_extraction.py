"""Tool outputs of every harness become what is worth keeping, quickly."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

import recollect
from recollect.agents.harnesses import all_tools
from recollect.redaction.redact import redact
from recollect.working import extraction
from recollect.working.default_rules import default_rules
from recollect.working.extraction import Extracted, matching
from recollect.working.rules import Rule
from recollect.working.tool_result import read_tool_result

TOOLS = all_tools()
DEFAULT_RULES = default_rules(TOOLS)

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: no\n'


def extract(
    tool: str, given: dict[str, Any], output: str, failed: bool, rules: Sequence[Rule]
) -> Extracted | None:
    return extraction.extract(read_tool_result(tool, given, output, failed=failed), rules, redact)


def kept_by(tool: str, given: dict[str, Any], output: str, *, failed: bool = False) -> str | None:
    found = extract(tool, TOOLS.translated(given), output, failed, DEFAULT_RULES)
    return found.rule if found else None


@requirement("rules:defaults:what-is-kept")
@pytest.mark.parametrize(
    ("tool", "given", "output", "failed", "rule"),
    [
        ("Read", {"file_path": "/x/docs/spec.md"}, "# Spec", False, "spec-read"),
        ("read_file", {"absolute_path": "/x/docs/decisions/0004.md"}, "# Chosen", False, "spec-read"),
        ("read", {"filePath": "ARCHITECTURE.md"}, "# Map", False, "spec-read"),
        ("Read", {"file_path": "src/app.py"}, "import os", False, None),
        ("Read", {"file_path": "spec.md"}, "no such file", True, None),
        ("Grep", {"pattern": "TypeError"}, "a.py:1: TypeError", False, "errors-searched"),
        ("search_file_content", {"pattern": "panic"}, "a.go:1: panic(x)", False, "errors-searched"),
        ("Grep", {"pattern": "def main"}, "a.py:1: except Error", False, None),
        ("Bash", {"command": "git commit -m x"}, "[main 1a2b3c4] x", False, "git-commit"),
        (
            "shell",
            {"command": ["bash", "-lc", "git commit -am x"]},
            "[main 1a2b3c4] x",
            False,
            "git-commit",
        ),
        ("Bash", {"command": "git commit -m x"}, "nothing to commit", False, None),
        ("Bash", {"command": "pytest"}, "FAILED t.py::test_a", True, "failing-tests"),
        ("run_shell_command", {"command": "go test"}, "--- FAIL: TestA (0.0s)", False, "failing-tests"),
        ("Shell", {"command": "python a.py"}, TRACE, True, "stack-trace"),
        ("bash", {"command": "make"}, "make: *** No rule to make target", True, "failed-command"),
        ("Bash", {"command": "ls"}, "README.md", False, None),
        ("Bash", {"command": "cat notes"}, "an error was mended", False, None),
        ("Edit", {"file_path": "src/a.py", "old_string": "x"}, "ok", False, "file-edited"),
        ("MultiEdit", {"file_path": "src/a.py", "edits": []}, "ok", False, "file-edited"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "ok", False, "file-edited"),
        ("write_file", {"file_path": "src/a.py", "content": "x"}, "ok", False, "file-edited"),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: a.py\n*** End Patch"},
            "Done",
            False,
            "file-edited",
        ),
        (
            "shell",
            {"command": ["apply_patch", "*** Begin Patch\n*** Add File: a.py\n*** End Patch"]},
            "Done",
            False,
            "patch-applied",
        ),
        ("Edit", {"file_path": "src/a.py"}, "string not found", True, None),
        ("mcp__issues__get", {"number": 7}, "error", False, None),
    ],
)
def test_a_tool_call_is_kept_by_the_rule_for_it(
    tool: str, given: dict[str, Any], output: str, failed: bool, rule: str | None
) -> None:
    assert kept_by(tool, given, output, failed=failed) == rule


@requirement("rules:order:first-match")
def test_the_first_rule_that_matches_decides() -> None:
    first = Rule("first", "Bash", "deploy", 0.9, "stdout")
    second = Rule("second", "Bash", "", 0.2, "stdout")

    call = read_tool_result("Bash", {"command": "deploy"}, "done", failed=False)
    found = matching(call, [first, second], redact)

    assert [one.rule for one in found] == ["first", "second"]
    assert extract("Bash", {"command": "deploy"}, "done", False, [first, second]) == found[0]


@pytest.mark.parametrize(("looks_at", "places"), [("either", 2), ("given", 1), ("output", 1)])
def test_a_rule_looks_at_what_was_given_and_what_came_back(looks_at: Any, places: int) -> None:
    rule = Rule("r", "Bash", r"de+ploy$", 0.9, "stdout", looks_at)

    given = extract("Bash", {"command": "make deploy"}, "done", False, [rule])
    returned = extract("Bash", {"command": "make"}, "will deploy", False, [rule])

    assert sum(found is not None for found in (given, returned)) == places


def test_a_tool_pattern_of_plain_names_means_exactly_those() -> None:
    rule = Rule("r", "Read", "", 0.9, "stdout")

    assert extract("TodoRead", {}, "x", False, [rule]) is None
    assert extract("TodoRead", {}, "x", False, [Rule("r", "Read$", "", 0.9, "stdout")])


def test_a_pattern_that_makes_backtracking_hang_is_searched_at_once() -> None:
    rule = Rule("r", "Bash", "(a+)+b", 0.9, "stdout")

    assert extract("Bash", {"command": "x"}, "a" * 40_000, False, [rule]) is None


def test_what_is_kept_says_where_it_comes_from() -> None:
    found = extract("Bash", {"command": "python a.py"}, TRACE, True, DEFAULT_RULES)

    assert found
    assert (found.kind, found.command, found.attention) == ("stack_trace", "python a.py", 0.8)
    assert found.content == "python a.py\nValueError: no\nat a.py f"
    assert found.fingerprint


OUTPUTS = {
    "ordinary": "src/module.py:12: an ordinary line with words in it and nothing else\n" * 700,
    "failing": "tests/test_a.py::test_b PASSED\n" * 1_500 + "FAILED tests/test_a.py::test_c - no\n",
    "trace": "some line of a log at 12:00:01\n" * 1_500 + TRACE,
    "one line": "x" * 50_000,
}


@requirement("rules:extraction:quick")
@pytest.mark.parametrize("kind", OUTPUTS)
def test_an_output_of_50_kb_is_looked_at_in_less_than_5_ms(kind: str) -> None:
    output = OUTPUTS[kind][-50_000:]
    times = []
    for _ in range(9):
        start = time.perf_counter()
        call = read_tool_result("Bash", {"command": "make"}, output, failed=True)
        extraction.extract(call, DEFAULT_RULES, lambda text: (text, ()))
        times.append(time.perf_counter() - start)

    assert min(times) < 0.005  # the machine may be busy; one undisturbed run says what it takes


def test_the_defaults_load_nothing_that_a_hook_would_wait_for() -> None:
    source = Path(recollect.__file__).parents[1]
    code = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "from recollect.working.default_rules import default_rules\n"
        "from recollect.working.extraction import extract\n"
        "from recollect.working.tool_result import read_tool_result\n"
        "from recollect.working.tools import ToolNames\n"
        f"call = read_tool_result('Bash', {{'command': 'x'}}, {TRACE!r}, failed=True)\n"
        "rules = default_rules(ToolNames(('Bash',)))\n"
        "assert extract(call, rules, lambda text: (text, ()))\n"
        "heavy = {'re', 'json', 'dataclasses', 'typing', 'pathlib', 'hashlib', 'enum'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
