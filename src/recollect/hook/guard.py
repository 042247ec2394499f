"""The guard: an agent writes memories through Recollect, and leaves to a person what is a person's to decide.

Recollect validates, redacts and locks what it writes. A rule that permits tools, an accepted change of a
tool, a secret and a login bind the agent, so an agent does not make them. The guard keeps an agent from a
mistake, not an attacker from the files: a program may write and run anything by itself.
"""

from __future__ import annotations

import os

from recollect.paths import MEMORY_FOLDERS
from recollect.working.tools import patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.agents.event import Event

_FOLDERS = frozenset(MEMORY_FOLDERS.values())
_INDEX = "index.md"
# Words of commands that may be for a person; a text without one is not parsed.
_FOR_A_PERSON = ("gateway", "run", "review", "forget", "session")
_QUOTING = str.maketrans("", "", "'\"\\")


def objection(event: Event, folder: str, root: str) -> str:
    """Why a tool must not run, with what to do instead; '' if it may."""
    for path in dict.fromkeys(_written_paths(event, folder, root)):
        if _is_memory(os.path.join(folder, path), root):
            return (
                f"{path} belongs to the project's memory. Do not edit it directly: Recollect validates each "
                "record, removes secrets and prevents lost updates. Use the memory_save or memory_update "
                "tool, or run: recollect save --file - (new), recollect edit ID (change), "
                "recollect retire ID --reason ... (remove)."
            )
    if event.tool_kind == "shell" and (name := _person_command(_text(event, "command"))):
        return (
            f"only a person may run `recollect {name}`, because it decides what agents may do or what "
            "is remembered. Say what you need and why, and ask the user to run it in a terminal."
        )
    return ""


def _person_command(command: str) -> str:
    """The command of ours in it that only a person may run. Only a text that names Recollect is parsed."""
    plain = command.translate(_QUOTING)
    if "recollect" not in plain or not any(name in plain for name in _FOR_A_PERSON):
        return ""
    from recollect.hook.person_commands import person_command

    return person_command(command)


def _written_paths(event: Event, folder: str, root: str) -> Iterable[str]:
    match event.tool_kind:
        case "edit" | "delete":
            path, patch = (_text(event, field) for field in ("file_path", "patch"))
            return [*([path] if path else ()), *patched_files(patch or _text(event, "command"))]
        case "shell":
            return _written_by_shell(_text(event, "command"), folder, root)
        case _:
            return ()


def _written_by_shell(command: str, folder: str, root: str) -> Iterable[str]:
    """The paths that a shell command writes. Only a command that names the memory is parsed at all."""
    if not any(name in command for name in (*_FOLDERS, _INDEX)):
        return ()
    if os.path.basename(root) not in command and not _is_below(folder, root):
        return ()
    from recollect.hook.shell_writes import written_paths

    patched = patched_files(command) if "apply_patch" in command else ()
    return [*written_paths(command), *patched]


def _text(event: Event, field: str) -> str:
    value = event.tool_input.get(field)
    return value if isinstance(value, str) else ""


def _is_memory(path: str, root: str) -> bool:
    try:
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    except ValueError:  # a null character: no file has such a name
        return False
    return inside.split(os.sep)[0] in _FOLDERS or inside == _INDEX


def _is_below(folder: str, root: str) -> bool:
    return f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(root)}/")
