"""Tool names and arguments in common terms that each harness's own are translated to.

A tool's input is read in four fields: `file_path`, `command`, `pattern` and `patch`.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    ToolKind = Literal["shell", "read", "search", "edit", "delete", ""]
else:
    ToolKind = str

# Fields that MCP servers and several harnesses use, and ours for them.
_COMMON_FIELDS = {
    "path": "file_path",
    "filename": "file_path",
    "cmd": "command",
    "script": "command",
    "query": "pattern",
    "regex": "pattern",
    "input": "patch",
}
# Lower-case names that MCP servers give to tools which write.
_COMMON_KINDS: dict[str, ToolKind] = {
    **dict.fromkeys(("write", "edit", "multiedit", "write_file", "edit_file", "create_file"), "edit"),
    **dict.fromkeys(("apply_patch", "patch", "replace", "notebookedit"), "edit"),
    **dict.fromkeys(("bash", "shell", "local_shell", "exec_command", "terminal"), "shell"),
    **dict.fromkeys(("run_shell_command", "run_terminal_cmd", "run_terminal_command"), "shell"),
    "delete": "delete",
}
_PATCH = "*** Begin Patch"
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


class ToolNames(Frozen):
    """What a harness calls its tools, by what they do, and `fields`: its names of input fields to ours."""

    shells: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    fields: Mapping[str, str] = {}

    def kind(self, tool: str) -> ToolKind:
        """What a tool does, '' if unknown. An MCP tool goes by its last name; case does not matter."""
        name = tool.rsplit("__", 1)[-1].lower()
        own: dict[ToolKind, tuple[str, ...]] = {
            "shell": self.shells,
            "read": self.reads,
            "search": self.searches,
            "edit": self.edits,
            "delete": self.deletes,
        }
        for kind, names in own.items():
            if name in map(str.lower, names):
                return kind
        return _COMMON_KINDS.get(name, "")

    def translated(self, tool_input: Mapping[str, Any]) -> dict[str, Any]:
        """A tool's input with our names for the fields we read; a command is one line of text."""
        fields = dict(tool_input)
        for name, ours in (*self.fields.items(), *_COMMON_FIELDS.items()):
            if isinstance(fields.get(name), str | list) and not fields.get(ours):
                fields[ours] = fields.pop(name)
        if isinstance(fields.get("command"), list):
            fields["command"] = _command_line(fields["command"])
        return fields

    def paths(self, tool_input: Mapping[str, Any]) -> list[str]:
        """The files that a tool's input names."""
        fields = self.translated(tool_input)
        path, patch = fields.get("file_path"), fields.get("patch")
        named = [path] if isinstance(path, str) and path else []
        return [*named, *(patched_files(patch) if isinstance(patch, str) else ())]


def patched_files(text: str) -> tuple[str, ...]:
    """The files that a patch adds, changes, moves or deletes; () for a text that is no patch."""
    if _PATCH not in text:
        return ()
    lines = [line for line in text.splitlines() if line.startswith(_PATCHED)]
    return tuple(dict.fromkeys([line.split(": ", 1)[1].strip() for line in lines]))


def _command_line(words: list[object]) -> str:
    match words:
        case [_, "-c" | "-lc" | "-ilc", str() as script]:
            return script
        case _:
            return " ".join(map(str, words))
