"""What of a tool's output is kept: one short text for each kind of thing worth remembering.

A summarizer that finds nothing of its kind keeps nothing, and the next rule has its turn.
"""

from __future__ import annotations

from recollect.values import Frozen
from recollect.working.failing_tests import failing_tests
from recollect.working.fingerprint import fingerprint, of_trace, read_trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.working.tool_result import Observed

MOST_CONTENT = 1_200  # characters of one item
_END = 500
_LINE = 200
_LINES = 5
_SHOWN_FILES = 5
_TROUBLE = (
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
    """What is kept, and the name of the error in it when there is one."""

    content: str
    fingerprint: str = ""


NOTHING = Summary("")


def first_last_500(seen: Observed) -> Summary:
    """How a text begins and how it ends."""
    text = seen.output.strip()
    if not text:
        return NOTHING
    short = text if len(text) <= 2 * _END else f"{text[:_END]}\n[...]\n{text[-_END:]}"
    return Summary(_bounded(_titled(_subject(seen), short)))


def match_count(seen: Observed) -> Summary:
    """How many matches a search found, and in which files first."""
    lines = [line for line in seen.output.splitlines() if line.strip()]
    if not lines or lines[0].startswith("No "):
        return NOTHING
    files = list(dict.fromkeys(name for line in lines if (name := _file_of(line))))
    count = len(lines) - lines[0].startswith("Found ")
    where = f", in {', '.join(files[:_SHOWN_FILES])}" if files else ""
    more = f" and {len(files) - _SHOWN_FILES} more" if len(files) > _SHOWN_FILES else ""
    return Summary(_bounded(f"Searched for {seen.sought!r}: {count} lines{where}{more}"))


def _file_of(line: str) -> str:
    """The file that a line of a search names: all of it, or what stands before the line number."""
    head = line.split(":", 1)[0].strip()
    return head if "." in head and " " not in head else ""


def stdout(seen: Observed) -> Summary:
    """What a command printed, and the command."""
    text = seen.output.strip()
    return Summary(_bounded(_titled(_line(seen.command), text[:_END]))) if text else NOTHING


def commit(seen: Observed) -> Summary:
    """The commits that were made, as git says them: branch, hash and subject."""
    made = [line.strip() for line in seen.output.splitlines() if _is_commit(line.strip())]
    return Summary(_bounded("Committed " + "; ".join(map(_line, made)))) if made else NOTHING


def _is_commit(line: str) -> bool:
    """`[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`."""
    head, found, subject = line.partition("] ")
    hexadecimal = head.rsplit(" ", 1)[-1]
    named = head.startswith("[") and " " in head and 7 <= len(hexadecimal) <= 40
    return bool(found and subject and named and all(sign in "0123456789abcdef" for sign in hexadecimal))


def failing(seen: Observed) -> Summary:
    """The names of failing tests, and what the first one says."""
    names = failing_tests(seen.output)
    if not names:
        return NOTHING
    why = next((_line(line.strip()) for line in seen.output.splitlines() if _says_why(line)), "")
    count = f"{len(names)} failing test{'s' if len(names) > 1 else ''}"
    head = f"{count} ({_line(seen.command)})" if seen.command else count
    told = "\n".join([f"{head}:", *(f"- {name}" for name in names), *([why] if why else [])])
    return Summary(_bounded(told), fingerprint("tests", why, sorted(names)))


def stack_trace(seen: Observed) -> Summary:
    """The error of a stack trace, and where in the user's own code it came up."""
    if not any(sign in seen.output for sign in _TRACES):
        return NOTHING
    trace = read_trace(seen.output)
    if trace is None:
        return NOTHING
    at = f"\nat {', '.join(trace.frames)}" if trace.frames else ""
    return Summary(_bounded(_titled(_line(seen.command), _line(trace.error) + at)), of_trace(trace))


def error_lines(seen: Observed) -> Summary:
    """The lines of an output that speak of an error; of a failure without one, its last lines."""
    lines = _troubles(seen.output)[:_LINES]
    if not lines and seen.failed:
        told = [line.strip() for line in seen.output.splitlines() if _says_something(line)]
        lines = [_line(line) for line in told[-3:]]
    if not lines:
        return NOTHING
    return Summary(_bounded(_titled(_line(seen.command), "\n".join(lines))), fingerprint("", lines[0]))


def _troubles(output: str) -> list[str]:
    """Lines that speak of an error."""
    return [
        _line(line.strip()) for line in output.splitlines() if any(word in line for word in _TROUBLE)
    ]


def _says_why(line: str) -> bool:
    """Whether a line of a test run is the reason that a test gives."""
    head = line.strip()
    return head.startswith("E  ") or (
        any(word in head for word in _REASONS)
        and not head.startswith(("at ", "FAIL", "ERROR ", "[ERROR]"))
    )


def _says_something(line: str) -> bool:
    bare = line.strip()
    return bool(bare) and not bare.lower().startswith("exit code")


def file_name(seen: Observed) -> Summary:
    """The files that were changed."""
    return Summary(_bounded(f"Edited {', '.join(seen.paths)}")) if seen.paths else NOTHING


SUMMARIZERS: dict[str, Callable[[Observed], Summary]] = {
    "first_last_500": first_last_500,
    "match_count": match_count,
    "stdout": stdout,
    "commit": commit,
    "failing_tests": failing,
    "stack_trace": stack_trace,
    "error_lines": error_lines,
    "file_name": file_name,
}


def _subject(seen: Observed) -> str:
    return seen.paths[0] if seen.paths else _line(seen.command or seen.sought)


def _titled(title: str, text: str) -> str:
    return f"{title}\n{text}" if title else text


def _line(text: str) -> str:
    first = text.strip().split("\n", 1)[0]
    return first if len(first) <= _LINE else f"{first[: _LINE - 3]}..."


def _bounded(text: str) -> str:
    return text if len(text) <= MOST_CONTENT else f"{text[: MOST_CONTENT - 3]}..."
