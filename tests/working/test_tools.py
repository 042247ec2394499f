"""What a tool does and what it is given, whichever harness reports it."""

from typing import Any

import pytest

from recollect.agents.harnesses import NAMES, get_harness
from recollect.working.tools import ToolKind, ToolNames, patched_files

PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n"
    "*** Add File: c.py\n+z\n*** Delete File: d.py\n*** End Patch"
)


@pytest.mark.parametrize(
    ("harness", "tool", "kind"),
    [
        ("claude-code", "Bash", "shell"),
        ("claude-code", "NotebookEdit", "edit"),
        ("claude-code", "Grep", "search"),
        ("claude-code", "mcp__files__write_file", "edit"),
        ("claude-code", "mcp__files__Read", "read"),
        ("claude-code", "mcp__issues__get", ""),
        ("codex", "apply_patch", "edit"),
        ("codex", "shell", "shell"),
        ("cursor", "run_terminal_cmd", "shell"),
        ("cursor", "Delete", "delete"),
        ("gemini", "read_many_files", "read"),
        ("gemini", "run_shell_command", "shell"),
        ("opencode", "patch", "edit"),
        ("opencode", "", ""),
    ],
)
def test_a_tool_has_the_kind_that_its_harness_names(harness: str, tool: str, kind: ToolKind) -> None:
    assert get_harness(harness).tools.kind(tool) == kind


@pytest.mark.parametrize(
    ("harness", "tool_input", "translated"),
    [
        ("claude-code", {"notebook_path": "a.ipynb"}, {"file_path": "a.ipynb"}),
        ("claude-code", {"pattern": "x", "path": "src"}, {"pattern": "x", "file_path": "src"}),
        ("codex", {"command": ["bash", "-lc", "make test"]}, {"command": "make test"}),
        ("codex", {"command": ["rm", "-rf", "a b"]}, {"command": "rm -rf a b"}),
        ("codex", {"cmd": "make"}, {"command": "make"}),
        ("cursor", {"target_file": "a.ts"}, {"file_path": "a.ts"}),
        ("gemini", {"absolute_path": "/x/a.ts"}, {"file_path": "/x/a.ts"}),
        ("opencode", {"filePath": "a.ts", "old": 1}, {"file_path": "a.ts", "old": 1}),
        ("opencode", {"patchText": PATCH}, {"patch": PATCH}),
    ],
)
def test_fields_are_translated_to_ours(
    harness: str, tool_input: dict[str, Any], translated: dict[str, Any]
) -> None:
    assert get_harness(harness).tools.translated(tool_input) == translated


def test_a_field_of_our_name_is_not_replaced_by_another() -> None:
    fields = ToolNames().translated({"file_path": "a.py", "path": "b.py"})

    assert fields == {"file_path": "a.py", "path": "b.py"}


@pytest.mark.parametrize("harness", NAMES)
def test_values_of_a_wrong_type_are_left_as_they_are(harness: str) -> None:
    tools = get_harness(harness).tools

    assert tools.translated({"path": 7, "cmd": None, "command": {}}) == {
        "path": 7,
        "cmd": None,
        "command": {},
    }
    assert tools.paths({"path": ["a"], "input": 3}) == []


def test_the_files_of_a_patch_are_those_it_adds_changes_moves_and_deletes() -> None:
    assert patched_files(PATCH) == ("a.py", "b.py", "c.py", "d.py")
    assert patched_files("*** Update File: a.py") == ()
    assert ToolNames().paths({"input": PATCH}) == ["a.py", "b.py", "c.py", "d.py"]
