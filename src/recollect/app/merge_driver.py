"""The git merge driver: three files in, the merged one out."""

import subprocess
from pathlib import Path

from recollect.errors import InvalidError
from recollect.records.json_format import JsonObject, parse
from recollect.records.merge import merge, render_merged


def merge_files(base: Path, ours: Path, theirs: Path, shown: str) -> bool:
    """Merge `theirs` into `ours`, as git asks its drivers to; False when a conflict is left.

    Versions that are not JSON are merged line by line, as git would have done without us.
    """
    try:
        sides = [_read(base, shown), _read(ours, shown), _read(theirs, shown)]
    except InvalidError:
        command = ["git", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs"]
        return subprocess.run([*command, ours, base, theirs], check=False).returncode == 0
    merged = merge(*sides)
    ours.write_bytes(render_merged(merged))
    return not merged.clashes


def _read(path: Path, shown: str) -> JsonObject:
    data = path.read_bytes()
    return parse(data, shown) if data.strip() else {}
