"""Files that a text names: paths, and names with an ending that code has."""

from __future__ import annotations

import re

MOST_NAMES = 20
_ADDRESS = re.compile(r"(?<!\w)(?:https?|ftp|wss?|git|ssh)://\S*|(?<!\w)file://", re.IGNORECASE)
_RUN = re.compile(r"[\w/.@-]+")
_PATH = re.compile(r"(?:\.\./|\./|/)?[^/]+(?:/[^/]+)+")
_FILE_NAME = re.compile(r"[^@/.]+(?:\.[^@/.]+)*\.[A-Za-z][^@/.-]{0,5}(?=[@/.-]|$)")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_NOT_FILES = frozenset({"e.g", "i.e"})


def named_files(text: str) -> list[str]:
    """The files named in a text, in order, each once, without line numbers and a leading `./`.

    An address on the network is not a file.
    """
    names: dict[str, None] = {}
    for run in _RUN.findall(_ADDRESS.sub(" ", text)):
        match = _PATH.match(run) or _FILE_NAME.match(run)
        name = match.group().removeprefix("./").rstrip(".") if match else ""
        if name and name.lower() not in _NOT_FILES and not _VERSION.fullmatch(name):
            names.setdefault(name)
    return list(names)[:MOST_NAMES]


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
