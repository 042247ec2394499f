"""Summarizers: extract one short text from a tool call.

A summarizer that finds nothing of its kind returns nothing, and the next rule is tried.
"""

from __future__ import annotations

from recollect.values import Frozen
from recollect.working.failing_tests import failing_tests
from recollect.working.fingerprint import fingerprint, of_trace, read_trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.working.tool_result import ToolResult

MOST_CONTENT = 1_200  # characters of one item
_END = 500
_LINE = 200
_LINES = 5
_SHOWN_FILES = 5
_ERROR_WORDS = (
    "error",
    "Error",
    "ERROR",
    "exception",
    "Exception",
    "fatal",
    "FATAL",
    "panic",
    "failed",
)
_REASONS = ("assertion ", "Error: ", "Error [", "Exception: ", "panicked at", "xpected", " want ")
_TRACES = ("Traceback (most recent call last)", "panicked at ", "goroutine ", "at ")


class Summary(Frozen):
    """The text to keep, and the fingerprint of the error in it, if any."""

    content: str
    fingerprint: str = ""


NOTHING = Summary("")


def first_last_500(call: ToolResult) -> Summary:
    """The first and the last 500 characters of an output."""
    text = call.output.strip()
    if not text:
        return NOTHING
    short = text if len(text) <= 2 * _END else f"{text[:_END]}\n[...]\n{text[-_END:]}"
    return Summary(_bounded(_titled(_subject(call), short)))


def match_count(call: ToolResult) -> Summary:
    """How many lines a search matched, and in which files first."""
    lines = [line for line in call.output.splitlines() if line.strip()]
    if not lines or lines[0].startswith("No "):
        return NOTHING
    files = list(dict.fromkeys(name for line in lines if (name := _file_of(line))))
    count = len(lines) - lines[0].startswith("Found ")
    where = f", in {', '.join(files[:_SHOWN_FILES])}" if files else ""
    more = f" and {len(files) - _SHOWN_FILES} more" if len(files) > _SHOWN_FILES else ""
    return Summary(_bounded(f"Searched for {call.search!r}: {count} lines{where}{more}"))


def _file_of(line: str) -> str:
    """The file that a line of a search names: the whole line, or the part before the line number."""
    head = line.split(":", 1)[0].strip()
    return head if "." in head and " " not in head else ""


def stdout(call: ToolResult) -> Summary:
    """The command and what it printed."""
    text = call.output.strip()
    return Summary(_bounded(_titled(_line(call.command), text[:_END]))) if text else NOTHING


def commit(call: ToolResult) -> Summary:
    """The new commits as git prints them: branch, hash and subject."""
    commits = [line.strip() for line in call.output.splitlines() if _is_commit(line.strip())]
    return Summary(_bounded("Committed " + "; ".join(map(_line, commits)))) if commits else NOTHING


def _is_commit(line: str) -> bool:
    """`[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`."""
    head, bracket, subject = line.partition("] ")
    hexadecimal = head.rsplit(" ", 1)[-1]
    named = head.startswith("[") and " " in head and 7 <= len(hexadecimal) <= 40
    return bool(
        bracket and subject and named and all(sign in "0123456789abcdef" for sign in hexadecimal)
    )


def failing(call: ToolResult) -> Summary:
    """The names of failing tests, and the message of the first one."""
    names = failing_tests(call.output)
    if not names:
        return NOTHING
    why = next((_line(line.strip()) for line in call.output.splitlines() if _is_reason(line)), "")
    count = f"{len(names)} failing test{'s' if len(names) > 1 else ''}"
    head = f"{count} ({_line(call.command)})" if call.command else count
    content = "\n".join([f"{head}:", *(f"- {name}" for name in names), *([why] if why else [])])
    return Summary(_bounded(content), fingerprint("tests", why, sorted(names)))


def stack_trace(call: ToolResult) -> Summary:
    """The error of a stack trace, and the functions of the user's own code nearest to it."""
    if not any(sign in call.output for sign in _TRACES):
        return NOTHING
    trace = read_trace(call.output)
    if trace is None:
        return NOTHING
    at = f"\nat {', '.join(trace.frames)}" if trace.frames else ""
    return Summary(_bounded(_titled(_line(call.command), _line(trace.error) + at)), of_trace(trace))


def error_lines(call: ToolResult) -> Summary:
    """The lines of an output that mention an error; the last lines of a failure that mentions none."""
    lines = _lines_with_errors(call.output)[:_LINES]
    if not lines and call.failed:
        informative = [line.strip() for line in call.output.splitlines() if _is_informative(line)]
        lines = [_line(line) for line in informative[-3:]]
    if not lines:
        return NOTHING
    return Summary(_bounded(_titled(_line(call.command), "\n".join(lines))), fingerprint("", lines[0]))


def _lines_with_errors(output: str) -> list[str]:
    """Lines that mention an error."""
    return [
        _line(line.strip())
        for line in output.splitlines()
        if any(word in line for word in _ERROR_WORDS)
    ]


def _is_reason(line: str) -> bool:
    """Whether a line of a test run says why a test failed."""
    head = line.strip()
    return head.startswith("E  ") or (
        any(word in head for word in _REASONS)
        and not head.startswith(("at ", "FAIL", "ERROR ", "[ERROR]"))
    )


def _is_informative(line: str) -> bool:
    bare = line.strip()
    return bool(bare) and not bare.lower().startswith("exit code")


def file_name(call: ToolResult) -> Summary:
    """The files that were changed."""
    return Summary(_bounded(f"Edited {', '.join(call.paths)}")) if call.paths else NOTHING


SUMMARIZERS: dict[str, Callable[[ToolResult], Summary]] = {
    "first_last_500": first_last_500,
    "match_count": match_count,
    "stdout": stdout,
    "commit": commit,
    "failing_tests": failing,
    "stack_trace": stack_trace,
    "error_lines": error_lines,
    "file_name": file_name,
}


def _subject(call: ToolResult) -> str:
    return call.paths[0] if call.paths else _line(call.command or call.search)


def _titled(title: str, text: str) -> str:
    return f"{title}\n{text}" if title else text


def _line(text: str) -> str:
    first = text.strip().split("\n", 1)[0]
    return first if len(first) <= _LINE else f"{first[: _LINE - 3]}..."


def _bounded(text: str) -> str:
    return text if len(text) <= MOST_CONTENT else f"{text[: MOST_CONTENT - 3]}..."
