"""The guard: a memory is written through Recollect, where it is checked, gated and locked."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.records.kinds import FOLDERS
from recollect.storage.files.root import MemoryRoot

_PATHS = ("file_path", "path", "notebook_path", "filePath", "target_file")
_PATCHES = ("input", "patch", "patchText", "command")
_WRITERS = frozenset(
    """write edit multiedit notebookedit apply_patch patch write_file replace create_file
    delete""".split()  # noqa: SIM905
)


def objection(tool: str, given: Mapping[str, Any], folder: str, root: MemoryRoot) -> str:
    """Why a tool must not do this, with what to do instead; '' when it may."""
    if tool.rsplit("__", 1)[-1].lower() not in _WRITERS:
        return ""
    for name in _paths(given):
        real = os.path.realpath(Path(folder) / name)
        inside = Path(os.path.relpath(real, os.path.realpath(root.path)))
        if (inside.parts and inside.parts[0] in FOLDERS) or str(inside) == "index.md":
            return (
                f"{name} belongs to the project's memory, which is written through Recollect: it checks the "
                "record, takes secrets out and keeps two writers apart. Use the memory_save or "
                "memory_update tool, or: recollect save --file - (new), recollect edit ID (change), "
                "recollect retire ID --reason ... (remove)."
            )
    return ""


def _paths(given: Mapping[str, Any]) -> list[str]:
    found = [given[key] for key in _PATHS if isinstance(given.get(key), str)]
    patch = next((given[key] for key in _PATCHES if given.get(key)), None)
    if isinstance(patch, str) and patch.lstrip().startswith("*** Begin Patch"):
        marks = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
        found += [
            line.split(": ", 1)[1].strip() for line in patch.splitlines() if line.startswith(marks)
        ]
    return found
