"""Errors of guests as their authors read them: with the line of their own code, and bounded."""

import re

from pydantic_monty import (
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySyntaxError,
    MontyTypingError,
)

from recollect.sandbox.guest import FailureReason, GuestFailed

_MOST_TEXT = 4_000  # characters of an error
_MOST_DIAGNOSTICS = 10
_DIAGNOSTIC = re.compile(r"[^:\n]*:(\d+):(\d+): (?:error|warning)\[([a-z-]+)\] (.*)")
_LIMITS = (
    "TimeoutError: feed time limit",
    "TimeoutError: turn time limit",
    "TimeoutError: sleep limit",
)
_INPUT = re.compile(r'File "<python-input-\d+>"')


def failure_of(error: MontyError, code: str) -> GuestFailed:
    """What went wrong, for the author of the code."""
    match error:
        case MontyTypingError():
            return _typing_failure(error.display(), code)
        case MontySyntaxError():
            return GuestFailed("syntax", _readable(error.display()), _line(error))
        case MontyRuntimeError():
            text = error.display()
            return GuestFailed(_reason(text), _readable(text), _line(error))
        case MontyCrashedError() if error.timed_out:
            return GuestFailed("limit", "the code did not finish within its time limit and was stopped")
        case _:
            return GuestFailed("crash", f"the interpreter ended: {error}"[:_MOST_TEXT])


def _typing_failure(text: str, code: str) -> GuestFailed:
    """What the type checker says, one line each, with the source that it is about."""
    diagnostics = [match for line in text.splitlines() if (match := _DIAGNOSTIC.match(line))]
    lines = code.splitlines()
    readable = [
        f"line {match[1]}: {match[4]}" + _quoted(lines, int(match[1]))
        for match in diagnostics[:_MOST_DIAGNOSTICS]
    ]
    if len(diagnostics) > _MOST_DIAGNOSTICS:
        readable.append(f"and {len(diagnostics) - _MOST_DIAGNOSTICS} more")
    reason: FailureReason = (
        "syntax" if any(match[3] == "invalid-syntax" for match in diagnostics) else "types"
    )
    first = int(diagnostics[0][1]) if diagnostics else 0
    return GuestFailed(reason, "\n".join(readable)[:_MOST_TEXT] or text[:_MOST_TEXT], first)


def _quoted(lines: list[str], number: int) -> str:
    source = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return f"\n    {source[:200]}" if source else ""


def _reason(text: str) -> FailureReason:
    last = text.rstrip().rpartition("\n")[2]
    is_limit = last.startswith(("MemoryError: memory limit", "RecursionError:", *_LIMITS))
    return "limit" if is_limit else "error"


def _readable(text: str) -> str:
    """The traceback without the interpreter's names; of a long one the end, where the error is."""
    clean = _INPUT.sub('File "code"', text).strip()
    return clean if len(clean) <= _MOST_TEXT else f"... {clean[-_MOST_TEXT:]}"


def _line(error: MontyRuntimeError | MontySyntaxError) -> int:
    frames = [frame for frame in error.traceback() if frame.filename.startswith("<python-input")]
    return frames[-1].line if frames else 0
