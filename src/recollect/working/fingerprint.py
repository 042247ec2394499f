"""Is this the error we had before? A name for an error that line numbers, addresses and machines leave alone.

A stack trace is read as its language writes it: Python, JavaScript and TypeScript, Go, Rust, Java. What names
it is the error's type, its message without numbers, paths and ids, and the functions of the user's own code
nearest to it. Anything else is named by its message.
"""

from __future__ import annotations

from itertools import pairwise

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FRAMES = 3  # of the user's own code, nearest to the error; more would tell the same error apart
_MESSAGE = 200  # characters of a message that count
_FOREIGN = (
    "site-packages",
    "dist-packages",
    "lib/python",
    "node_modules",
    "node:",
    "internal/",
    "/rustc/",
    "<frozen",
    "java.base",
    "/usr/local/go/",
    "/usr/lib/go",
    "runtime.",
    "java.",
    "jdk.",
    "sun.",
    "com.sun.",
    "testing.",
)
_QUOTES = "\"'`()[]{}<>,;:!"


class Trace(Frozen):
    """A stack trace as read: its language, the error in one line, the functions nearest to it."""

    language: str
    error: str
    frames: tuple[str, ...] = ()


def fingerprint(language: str, error: str, frames: Sequence[str] = ()) -> str:
    """A short name for an error, the same on every machine."""
    from zlib import crc32

    told = "\n".join([language, normalised(error), *map(normalised, frames)]).encode("utf-8", "replace")
    return f"{crc32(told):08x}{crc32(told[::-1]):08x}"  # hashlib takes as long to load as all the rest


def of_trace(trace: Trace) -> str:
    """The name of a stack trace's error."""
    return fingerprint(trace.language, trace.error, trace.frames)


def normalised(message: str) -> str:
    """A message without what differs from run to run: numbers, addresses, ids, folders."""
    return " ".join(_word(word) for word in message[:_MESSAGE].split())


def _word(word: str) -> str:
    bare = word.strip(_QUOTES)
    if not bare:
        return word
    short = bare.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or "/"
    if _is_id(short):
        return word.replace(bare, "#")
    digits = "".join("0" if sign.isdigit() else sign for sign in short)
    while "00" in digits:
        digits = digits.replace("00", "0")
    return word.replace(bare, digits)


def _is_id(word: str) -> bool:
    """An address, a digest, a UUID or another run of hex digits; or a name made for a moment."""
    bare = word.removeprefix("0x").replace("-", "")
    hexadecimal = all(sign in "0123456789abcdefABCDEF" for sign in bare)
    if hexadecimal and (word.startswith("0x") or (len(bare) >= 7 and any(map(str.isdigit, bare)))):
        return True
    return word.startswith(("tmp", "pytest-")) and len(word) > 8


def read_trace(text: str) -> Trace | None:
    """The last stack trace in a text, by whichever language wrote it; None when there is none."""
    lines = [line.rstrip() for line in text.splitlines()]
    for reader in (_python, _rust, _go, _java, _javascript):
        found = reader(lines)
        if found:
            return found
    return None


def _python(lines: list[str]) -> Trace | None:
    starts = [at for at, line in enumerate(lines) if "Traceback (most recent call last)" in line]
    if not starts:
        return None
    mark = lines[starts[-1]].split("Traceback", 1)[0]  # what a log or a test runner puts before a line
    frames: list[str] = []
    for line in lines[starts[-1] + 1 :]:
        bare = line.removeprefix(mark)
        if bare.lstrip().startswith('File "') and ", line " in bare:
            path, _, rest = bare.lstrip().removeprefix('File "').partition('", line ')
            frames.append(_frame(path, rest.partition(", in ")[2]))
        elif bare and not bare.startswith((" ", "\t")):
            return Trace("python", bare, _own(frames)) if frames else None
    return None


def _frame(path: str, function: str) -> str:
    """A function and its file, marked when it is not the user's own."""
    own = not any(mark in path or function.startswith(mark) for mark in _FOREIGN)
    return f"{'' if own else '~'}{_short(path)} {function.strip()}"


def _own(frames: Sequence[str], *, nearest_last: bool = True) -> tuple[str, ...]:
    own = [frame for frame in frames if not frame.startswith("~")]
    return tuple(own[-_FRAMES:] if nearest_last else own[:_FRAMES])


def _short(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _rust(lines: list[str]) -> Trace | None:
    for at, line in enumerate(lines):
        if "panicked at " not in line:
            continue
        told = line.partition("panicked at ")[2]
        if told.startswith("'"):  # as before 1.73: the message, then the place
            message, _, place = told[1:].rpartition("', ")
        else:
            place, message = told, lines[at + 1] if at + 1 < len(lines) else ""
        return Trace("rust", f"panicked: {message}", (_short(place.split(":", 1)[0]),))
    return None


def _go(lines: list[str]) -> Trace | None:
    for at, line in enumerate(lines):
        if not line.startswith(("panic: ", "fatal error: ")):
            continue
        rest = lines[at + 1 :]
        frames = [
            _frame(place.strip().rsplit(":", 1)[0], call.partition("(")[0])
            for call, place in pairwise(rest)
            if place.startswith("\t") and ".go:" in place and not call.startswith(("\t", "created by"))
        ]
        if frames or any(other.startswith("goroutine ") for other in rest):
            return Trace("go", line.partition(" [recovered]")[0], _own(frames, nearest_last=False))
    return None


def _java(lines: list[str]) -> Trace | None:
    """The last cause counts: what wraps it says little."""
    error, frames = "", list[str]()
    for before, line in zip(["", *lines], lines, strict=False):
        call = line.strip().removeprefix("at ")
        if not (line.startswith(("\tat ", "    at ")) and call.endswith(")") and "(" in call):
            continue
        name, _, place = call.partition("(")
        if not (".java" in place or ".kt" in place or "Native Method" in place or "Unknown" in place):
            continue
        if _names_error(before):
            error, frames = before.strip(), []
        if error:
            frames.append(_frame(place.partition(":")[0], name.rpartition("/")[2]))
    told = error.removeprefix("Caused by: ")
    if told.startswith("Exception in thread"):
        told = told.split('" ', 1)[-1]
    return Trace("java", told, _own(frames, nearest_last=False)) if frames else None


def _javascript(lines: list[str]) -> Trace | None:
    for at, line in enumerate(lines):
        if not (line.startswith("    at ") or line.lstrip().startswith("at ")) or ":" not in line:
            continue
        error = next(
            (other for other in reversed(lines[max(0, at - 6) : at]) if _names_error(other)), ""
        )
        frames = list(_js_frames(lines[at:]))
        if error and frames:
            told = error.strip().removeprefix("Uncaught ").removeprefix("[")
            return Trace("javascript", told, _own(frames, nearest_last=False))
    return None


def _js_frames(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        call = line.strip()
        if not call.startswith("at "):
            return
        name, found, place = call.removeprefix("at ").rpartition(" (")
        path = place.removeprefix("file://").rstrip(")").rsplit(":", 2)[0]
        yield _frame(path, name.removeprefix("async ") if found else "")


def _names_error(line: str) -> bool:
    """Whether a line begins with the name of an error, as in `TypeError: x is not a function`."""
    head = line.strip().removeprefix("Caused by: ").removeprefix("Uncaught ").split(":", 1)[0]
    return head.endswith(("Error", "Exception", "Error]")) or any(
        word.endswith(("Error", "Exception")) for word in head.split()[:6]
    )
