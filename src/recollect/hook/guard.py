"""The guard: a memory is written through Recollect, where it is checked, gated and locked.

It keeps an agent from a mistake, not an attacker from the files: a program may write anywhere by itself.
"""

from __future__ import annotations

import os

from recollect.records.folders import FOLDER_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_PATHS = ("file_path", "path", "notebook_path", "filePath", "target_file")
_PATCHES = ("input", "patch", "patchText", "command")
_COMMANDS = ("command", "cmd", "script")
_FOLDERS = frozenset(FOLDER_NAMES.values())
_INDEX = "index.md"
_WRITERS = frozenset(
    """write edit multiedit notebookedit apply_patch patch write_file replace create_file
    delete""".split()  # noqa: SIM905
)
_SHELLS = frozenset(
    """bash shell local_shell exec_command run_shell_command run_terminal_cmd run_terminal_command
    terminal""".split()  # noqa: SIM905
)


def objection(tool: str, given: Mapping[str, Any], folder: str, root: str) -> str:
    """Why a tool must not do this, with what to do instead; '' when it may."""
    kind = tool.rsplit("__", 1)[-1].lower()
    if kind in _WRITERS:
        named = _paths(given)
    elif kind in _SHELLS:
        named = _written(given, folder, root)
    else:
        return ""
    for name in dict.fromkeys(named):
        if _is_memory(os.path.join(folder, name), root):
            return (
                f"{name} belongs to the project's memory, which is written through Recollect: it checks the "
                "record, takes secrets out and keeps two writers apart. Use the memory_save or "
                "memory_update tool, or: recollect save --file - (new), recollect edit ID (change), "
                "recollect retire ID --reason ... (remove)."
            )
    return ""


def _is_memory(path: str, root: str) -> bool:
    try:
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    except ValueError:  # no system has a file of such a name
        return False
    return inside.split(os.sep)[0] in _FOLDERS or inside == _INDEX


def _written(given: Mapping[str, Any], folder: str, root: str) -> list[str]:
    """What a shell command writes to. Only one that speaks of the memory is read at all."""
    command = _command(given)
    if not any(name in command for name in (*_FOLDERS, _INDEX)):
        return []
    if os.path.basename(root) not in command and not _is_below(folder, root):
        return []
    from recollect.hook.shell_writes import written

    return [*written(command), *(_patched(command) if "apply_patch" in command else ())]


def _command(given: Mapping[str, Any]) -> str:
    for key in _COMMANDS:
        match given.get(key):
            case str() as text if text:
                return text
            case [_, "-c" | "-lc" | "-ilc", str() as script]:
                return script
            case [str(), *_] as words:
                return " ".join([str(word) for word in words])
    return ""


def _is_below(folder: str, root: str) -> bool:
    return f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(root)}/")


def _paths(given: Mapping[str, Any]) -> list[str]:
    found = [given[key] for key in _PATHS if isinstance(given.get(key), str)]
    patch = next((given[key] for key in _PATCHES if given.get(key)), None)
    if isinstance(patch, str) and patch.lstrip().startswith("*** Begin Patch"):
        found += _patched(patch)
    return found


def _patched(patch: str) -> list[str]:
    """The files that a patch changes."""
    marks = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
    return [line.split(": ", 1)[1].strip() for line in patch.splitlines() if line.startswith(marks)]
