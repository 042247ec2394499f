"""What of a tool's output is kept."""

import pytest
from tests.requirements import requirement

from recollect.working.failing_tests import MOST_NAMES, failing_tests
from recollect.working.summarise import MOST_CONTENT, SUMMARIZERS
from recollect.working.tool_result import MOST_OUTPUT, ToolResult, read_tool_result

RUNS = {
    "pytest": (
        "F.E\n=== short test summary info ===\nFAILED tests/test_a.py::test_adds - assert 1 == 2\n"
        "ERROR tests/test_b.py::TestB::test_c\n2 failed, 1 passed in 0.1s\n",
        ["tests/test_a.py::test_adds", "tests/test_b.py::TestB::test_c"],
    ),
    "pytest -v": (
        "tests/test_a.py::test_adds FAILED [ 50%]\ntests/test_a.py::test_ok PASSED [100%]\n",
        ["tests/test_a.py::test_adds"],
    ),
    "unittest": (
        "FAIL: test_adds (shop.tests.Sums.test_adds)\n-----\nFAILED (failures=1)\n",
        ["test_adds (shop.tests.Sums.test_adds)"],
    ),
    "jest": (
        "FAIL src/sum.test.ts\n  ✕ adds (5 ms)\n  ✓ fine (1 ms)\n\n  ● sums › adds\n\n    1 is not 2\n",
        ["sums › adds"],
    ),
    "vitest": (
        " FAIL  src/sum.test.ts > sums > adds\nAssertionError: expected 1 to be 2\n",
        ["src/sum.test.ts > sums > adds"],
    ),
    "mocha": (
        "  1 passing\n  2 failing\n\n  1) sums adds:\n     Error\n  2) sums divides:\n     Error\n",
        ["sums adds", "sums divides"],
    ),
    "node": ("✔ fine (0.1ms)\n✖ adds (1.25ms)\nℹ fail 1\n", ["adds"]),
    "tap": ("ok 1 - fine\nnot ok 2 - adds\nnot ok 3 - later # TODO\n", ["adds"]),
    "go": (
        "--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/adds (0.00s)\nFAIL\nFAIL\tshop/sum\t0.01s\n",
        ["TestSum/adds"],
    ),
    "gotestsum": (
        "\u2716  shop/sum (1.25s)\n=== Failed\n=== FAIL: shop/sum TestSum (0.75s)\n    sum_test.go:4: no\n",
        ["shop/sum TestSum"],
    ),
    "cargo": ("test sums::fine ... ok\ntest sums::adds ... FAILED\n\nfailures:\n", ["sums::adds"]),
    "maven": (
        "[ERROR] Tests run: 2, Failures: 1 <<< FAILURE! -- in shop.SumTest\n"
        "[ERROR] shop.SumTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\n",
        ["shop.SumTest.adds"],
    ),
    "gradle": (
        "SumTest > adds() FAILED\n    org.opentest4j.AssertionFailedError\n",
        ["SumTest > adds()"],
    ),
    "rspec": ("rspec ./spec/sum_spec.rb:4 # Sum adds\nFAIL\n", ["./spec/sum_spec.rb:4"]),
}


def shell(output: str, command: str = "make test", *, failed: bool = True) -> ToolResult:
    return read_tool_result("Bash", {"command": command}, output, failed=failed)


@pytest.mark.parametrize("runner", RUNS)
def test_the_failing_tests_of_a_runner_are_named(runner: str) -> None:
    output, names = RUNS[runner]

    assert failing_tests(output) == names


@pytest.mark.parametrize(
    "output",
    [
        "12 passed in 0.3s",
        "ok  \tshop/sum\t0.01s",
        "test result: ok. 3 passed; 0 failed",
        "The word FAIL in prose, and failing too.",
        "  1) first choose a name\n  2) then failing that, another",
    ],
)
def test_a_run_without_failures_names_none(output: str) -> None:
    assert failing_tests(output) == []


def test_many_failures_are_cut() -> None:
    output = "".join(f"FAILED tests/t.py::test_{number}\n" for number in range(100))

    assert len(failing_tests(output)) == MOST_NAMES


def test_failing_tests_are_kept_with_their_command_and_the_first_reason() -> None:
    kept = SUMMARIZERS["failing_tests"](
        shell("E   assert 1 == 2\nFAILED tests/t.py::test_a - assert 1 == 2\n")
    )

    assert kept.content == "1 failing test (make test):\n- tests/t.py::test_a\nE   assert 1 == 2"
    assert kept.fingerprint


def test_colours_do_not_hide_a_failing_test() -> None:
    kept = SUMMARIZERS["failing_tests"](
        shell("\x1b[31mFAILED\x1b[0m tests/t.py::\x1b[1mtest_a\x1b[0m - no")
    )

    assert "- tests/t.py::test_a" in kept.content


@requirement("rules:summaries:first-last")
def test_a_long_text_is_kept_by_its_ends() -> None:
    seen = read_tool_result("Read", {"file_path": "spec.md"}, "a" * 600 + "b" * 600, failed=False)

    kept = SUMMARIZERS["first_last_500"](seen).content

    assert kept == "spec.md\n" + "a" * 500 + "\n[...]\n" + "b" * 500


@requirement("rules:summaries:match-count")
def test_a_search_is_kept_as_its_count_and_its_files() -> None:
    output = "".join(f"src/{name}.py:{line}: raise Error\n" for name in "abcdefg" for line in (1, 2))
    seen = read_tool_result("Grep", {"pattern": "raise Error"}, output, failed=False)

    assert SUMMARIZERS["match_count"](seen).content == (
        "Searched for 'raise Error': 14 lines, in src/a.py, src/b.py, src/c.py, src/d.py, src/e.py and 2 more"
    )


def test_a_search_that_found_nothing_is_not_kept() -> None:
    for output in ("", "No matches found", "\n"):
        seen = read_tool_result("Grep", {"pattern": "error"}, output, failed=False)
        assert not SUMMARIZERS["match_count"](seen).content


def test_what_a_command_printed_is_kept_after_it() -> None:
    assert SUMMARIZERS["stdout"](shell("  done\n", "deploy staging")).content == "deploy staging\ndone"


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        ("[main 1a2b3c4] Fix rounding\n 1 file changed\n", "Committed [main 1a2b3c4] Fix rounding"),
        ("[main (root-commit) 1a2b3c4] Begin\n", "Committed [main (root-commit) 1a2b3c4] Begin"),
        ("nothing to commit, working tree clean\n", ""),
        ("[main] not a commit\n[INFO something] else\n", ""),
    ],
)
def test_a_commit_is_kept_by_its_subject(output: str, kept: str) -> None:
    assert SUMMARIZERS["commit"](shell(output, failed=False)).content == kept


def test_of_a_failure_the_lines_that_speak_of_an_error_are_kept() -> None:
    kept = SUMMARIZERS["error_lines"](
        shell("step 1\nsrc/a.c:3: error: no such member\nstep 2\n", "make")
    )

    assert kept.content == "make\nsrc/a.c:3: error: no such member"


def test_of_a_failure_that_names_no_error_the_last_lines_are_kept() -> None:
    kept = SUMMARIZERS["error_lines"](shell("Exit code 2\none\ntwo\nthree\nfour\n", "make"))

    assert kept.content == "make\ntwo\nthree\nfour"


def test_a_failure_that_says_nothing_is_not_kept() -> None:
    assert not SUMMARIZERS["error_lines"](shell("Exit code 1\n", "grep x y")).content


@requirement("rules:summaries:bounded")
@pytest.mark.parametrize("name", SUMMARIZERS)
def test_nothing_kept_is_longer_than_an_item_may_be(name: str) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: ' + "v" * 9_000
    )
    names = "".join(f"FAILED tests/t.py::test_{'n' * 200}{number}\n" for number in range(50))
    commits = "".join(f"[main 1a2b3c{number}] {'s' * 300}\n" for number in range(9))
    given = {"command": "c" * 9_000, "pattern": "p" * 9_000, "file_path": "f" * 9_000}
    seen = read_tool_result(
        "Bash", given, names + commits + "error " * 5_000 + "\n" + trace, failed=True
    )

    assert 0 < len(SUMMARIZERS[name](seen).content) <= MOST_CONTENT


@pytest.mark.parametrize(
    ("given", "command", "paths"),
    [
        ({"command": "make"}, "make", ()),
        ({"file_path": "a.ts"}, "", ("a.ts",)),
        (
            {"patch": "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** End Patch"},
            "",
            ("a.py", "b.py"),
        ),
        ({"command": 7, "file_path": None}, "", ()),
    ],
)
def test_commands_and_files_are_read_from_the_input(
    given: dict[str, object], command: str, paths: tuple[str, ...]
) -> None:
    seen = read_tool_result("x", given, "", failed=False)

    assert (seen.command, seen.paths) == (command, paths)


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("Exit code 2\nno rule", True),
        ("Output: x\nExit Code: 1\nSignal: (none)", True),
        ("Exit code: 0\nfine", False),
        ("the exit code of that was odd", False),
    ],
)
def test_a_failure_is_also_known_by_the_exit_code_in_the_output(output: str, failed: bool) -> None:
    assert shell(output, failed=False).failed is failed


def test_a_page_that_speaks_of_an_exit_code_is_no_failure() -> None:
    page = "## When it fails\nIt ends with exit code 2\n"

    assert not read_tool_result("Read", {"file_path": "docs/cli.md"}, page, failed=False).failed


def test_of_a_huge_output_both_ends_are_looked_at() -> None:
    seen = shell("first\n" + "x" * 500_000 + "\nFAILED tests/t.py::test_a\n")

    assert len(seen.output) < MOST_OUTPUT + 100
    assert SUMMARIZERS["failing_tests"](seen).content
