"""Is this the same error as before? A fingerprint that ignores line numbers, addresses and machines.

Stack traces of Python, JavaScript and TypeScript, Go, Rust and Java are read. Their fingerprint covers the
error's type, its message without numbers, paths and ids, and the functions of the user's own code nearest to
it. Any other error is identified by its message.
"""

from __future__ import annotations

from itertools import pairwise

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FRAMES = (
    3  # of the user's own code, nearest to the error; more would give the same error two fingerprints
)
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
    """A short id of an error, the same on every machine."""
    from zlib import crc32

    data = "\n".join([language, normalised(error), *map(normalised, frames)]).encode("utf-8", "replace")
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"  # hashlib takes as long to load as all the rest


def of_trace(trace: Trace) -> str:
    """The fingerprint of a stack trace."""
    return fingerprint(trace.language, trace.error, trace.frames)


def normalised(message: str) -> str:
    """A message without the parts that change between runs: numbers, addresses, ids, folders."""
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
    """An address, a digest, a UUID or another run of hex digits; or a temporary name."""
    bare = word.removeprefix("0x").replace("-", "")
    hexadecimal = all(sign in "0123456789abcdefABCDEF" for sign in bare)
    if hexadecimal and (word.startswith("0x") or (len(bare) >= 7 and any(map(str.isdigit, bare)))):
        return True
    return word.startswith(("tmp", "pytest-")) and len(word) > 8


def read_trace(text: str) -> Trace | None:
    """The last stack trace in a text, by whichever language wrote it; None when there is none."""
    lines = [line.rstrip() for line in text.splitlines()]
    for reader in (_python, _rust, _go, _java, _javascript):
        trace = reader(lines)
        if trace:
            return trace
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
    """A function and its file, with `~` in front when it is not the user's own code."""
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
        panic = line.partition("panicked at ")[2]
        if panic.startswith("'"):  # before Rust 1.73: the message, then the place
            message, _, place = panic[1:].rpartition("', ")
        else:
            place, message = panic, lines[at + 1] if at + 1 < len(lines) else ""
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
    """Read the last cause, because the exceptions around it say little."""
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
    cause = error.removeprefix("Caused by: ")
    if cause.startswith("Exception in thread"):
        cause = cause.split('" ', 1)[-1]
    return Trace("java", cause, _own(frames, nearest_last=False)) if frames else None


def _javascript(lines: list[str]) -> Trace | None:
    for at, line in enumerate(lines):
        if not (line.startswith("    at ") or line.lstrip().startswith("at ")) or ":" not in line:
            continue
        error = next(
            (other for other in reversed(lines[max(0, at - 6) : at]) if _names_error(other)), ""
        )
        frames = list(_js_frames(lines[at:]))
        if error and frames:
            message = error.strip().removeprefix("Uncaught ").removeprefix("[")
            return Trace("javascript", message, _own(frames, nearest_last=False))
    return None


def _js_frames(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        call = line.strip()
        if not call.startswith("at "):
            return
        name, bracket, place = call.removeprefix("at ").rpartition(" (")
        path = place.removeprefix("file://").rstrip(")").rsplit(":", 2)[0]
        yield _frame(path, name.removeprefix("async ") if bracket else "")


def _names_error(line: str) -> bool:
    """Whether a line begins with the name of an error, as in `TypeError: x is not a function`."""
    head = line.strip().removeprefix("Caused by: ").removeprefix("Uncaught ").split(":", 1)[0]
    return head.endswith(("Error", "Exception", "Error]")) or any(
        word.endswith(("Error", "Exception")) for word in head.split()[:6]
    )
