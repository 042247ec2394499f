"""Files that a text names: paths, and names with an ending that code has."""

from __future__ import annotations

MOST_NAMES = 20
_SCHEMES = ("http", "https", "ftp", "ws", "wss", "git", "ssh")
_STARTS = ("../", "./", "/")
_LONGEST_ENDING = 6  # letters and digits after the last dot
_NOT_FILES = frozenset({"e.g", "i.e"})


def named_files(text: str) -> list[str]:
    """The files named in a text, in order, each once; line numbers and leading `./` are taken off.

    An address on the network is no file.
    """
    found: dict[str, None] = {}
    for piece in text.split():
        if "/" in piece or "." in piece:
            for run in _runs(_without_address(piece)):
                name = (_path(run) or _file_name(run)).removeprefix("./").rstrip(".")
                if name and name.lower() not in _NOT_FILES and not _is_version(name):
                    found.setdefault(name)
    return list(found)[:MOST_NAMES]


def _without_address(piece: str) -> str:
    """What stands before an address in a piece without spaces; of `file://`, what follows it too."""
    place = piece.find("://")
    while place >= 0:
        scheme = _word_before(piece, place).lower()
        if scheme in _SCHEMES:
            return piece[: place - len(scheme)]
        if scheme == "file":
            piece = f"{piece[: place - len(scheme)]} {piece[place + 3 :]}"
            place = -1
        place = piece.find("://", place + 1)
    return piece


def _word_before(piece: str, place: int) -> str:
    start = place
    while start and (piece[start - 1].isalnum() or piece[start - 1] == "_"):
        start -= 1
    return piece[start:place]


def _runs(piece: str) -> list[str]:
    """Runs of what paths are made of."""
    return "".join([mark if mark.isalnum() or mark in "_/.@-" else " " for mark in piece]).split()


def _path(run: str) -> str:
    """The path with a folder in it that a run begins with, or nothing."""
    for start in (*(len(start) for start in _STARTS if run.startswith(start)), 0):
        parts = run[start:].split("/")
        whole = next((place for place, part in enumerate(parts) if not part), len(parts))
        if whole > 1:
            return run[:start] + "/".join(parts[:whole])
    return ""


def _file_name(run: str) -> str:
    """The name with an ending that a run begins with, or nothing."""
    parts = run.split("@", maxsplit=1)[0].split("/", maxsplit=1)[0].split(".")
    whole = next((place for place, part in enumerate(parts) if not part), len(parts))
    for place in range(whole - 1, 0, -1):
        ending = parts[place].split("-")[0]
        if len(ending) <= _LONGEST_ENDING and ending[:1].isascii() and ending[:1].isalpha():
            return ".".join([*parts[:place], ending])
    return ""


def _is_version(name: str) -> bool:
    return "." in name and all(part.isdecimal() for part in name.split("."))


def is_pattern(path: str) -> bool:
    """Whether a path may stand for several files."""
    return any(mark in path for mark in "*?[")


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rsplit("/", 1)[-1]


def agreement(named: str, path: str) -> float:
    """How surely a file that is named is the one at `path`, of the same name.

    2 when a folder says so too, 1 when either is a mere name, 0 when they are in different folders: a
    trace through ten `__init__.py` is about none of the others.
    """
    one, two = _parts(named), _parts(path)
    shorter = min(len(one), len(two))
    shared = next((place for place in range(shorter) if one[place] != two[place]), shorter)
    if shared > 1:
        return 2.0
    return 1.0 if shared == shorter else 0.0


def _parts(path: str) -> list[str]:
    """The parts of a path, the last first, without those that only say where it starts."""
    return [part for part in reversed(path.split("/")) if part not in {"", ".", ".."}]
