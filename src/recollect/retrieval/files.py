"""Files that a text names: paths, and names with an ending that code has."""

import re

MOST_NAMES = 20
_PATH = re.compile(
    r"(?<![\w/.@-])(?:(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@-]+|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}\b)"
)
_URL = re.compile(r"\b(?:https?|ftp|wss?|git|ssh)://\S+|\bfile://", re.IGNORECASE)
_NOT_FILES = re.compile(r"^(?:e\.g|i\.e|etc|vs|\d+(?:\.\d+)+)$", re.IGNORECASE)


def named_files(text: str) -> list[str]:
    """The files named in a text, in order, each once; line numbers and leading `./` are taken off.

    An address on the network is no file.
    """
    found: dict[str, None] = {}
    for match in _PATH.finditer(_URL.sub(" ", text)):
        name = match.group().removeprefix("./").rstrip(".")
        if not _NOT_FILES.match(name):
            found.setdefault(name)
    return list(found)[:MOST_NAMES]


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rsplit("/", 1)[-1]
