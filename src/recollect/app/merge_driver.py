"""The git merge driver: three files in, the merged one out."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import InvalidError
from recollect.records import links
from recollect.records.json_format import JsonObject, parse
from recollect.records.merge import merge, render_merged
from recollect.records.record import Memory
from recollect.storage.files import atomic


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Whether no conflict is left, and what a person should know of a merge without conflict."""

    clean: bool
    warnings: tuple[str, ...] = ()


def merge_files(base: Path, ours: Path, theirs: Path, shown: str) -> MergeResult:
    """Merge `theirs` into `ours`, as git asks its drivers to.

    Versions that are not JSON are merged line by line, as git would have done without us. A side without
    content was deleted or damaged, which says nothing about its fields: that is always a conflict.
    """
    if ours.read_bytes() == theirs.read_bytes():
        return MergeResult(clean=True)
    try:
        old, mine, other = _read(base, shown), _read(ours, shown), _read(theirs, shown)
    except InvalidError:
        command = ["git", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs"]
        merged_lines = subprocess.run([*command, ours, base, theirs], check=False)
        return MergeResult(merged_lines.returncode == 0)
    if not mine or not other:
        atomic.write(_real(ours), _both(ours.read_bytes(), theirs.read_bytes()), shown)
        return MergeResult(clean=False)
    merged = merge(old, mine, other)
    atomic.write(_real(ours), render_merged(merged), shown)
    return MergeResult(not merged.clashes, _warnings(merged.document, shown))


def _warnings(document: JsonObject, shown: str) -> tuple[str, ...]:
    """What a merge of fields makes that no writer would: two memories that supersede each other."""
    try:
        memory = Memory.parse(document, shown)
    except InvalidError:
        return ()
    return tuple(
        f"{memory.id!r} and {other!r} supersede each other; `recollect doctor` says what to do."
        for other in links.mutual_supersession(memory)
    )


def _real(path: Path) -> Path:
    """The file that git named, in a folder without links: git made it."""
    return path.parent.resolve() / path.name


def _read(path: Path, shown: str) -> JsonObject:
    """The document in a file; an empty file is an empty one, as git's base is when both sides added it."""
    data = path.read_bytes()
    return parse(data, shown) if data.strip() else {}


def _both(ours: bytes, theirs: bytes) -> bytes:
    """Two versions as one conflict."""
    sides = [side if not side or side.endswith(b"\n") else side + b"\n" for side in (ours, theirs)]
    return b"<<<<<<< ours\n" + sides[0] + b"=======\n" + sides[1] + b">>>>>>> theirs\n"
