"""What Recollect itself said, recognised."""

from typing import Any

import pytest
from tests.requirements import requirement

from recollect.working.echo import is_echo, is_ours, typed, without_echo

ROOTS = (".claude/memory", "/home/ada/shop/.claude/memory")
BLOCK = (
    '<memory-context source=".claude/memory/">\n'
    "- [RUNBOOK] Restart the worker -> .claude/memory/runbooks/restart-the-worker.json #tags:ops\n"
    "</memory-context>"
)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__recollect__memory_search", {}),
        ("mcp__plugin_recollect_recollect__working_memory", {}),
        ("memory_get", {"id": "restart-the-worker"}),
        ("Bash", {"command": "recollect search worker"}),
        ("Bash", {"command": "cd /tmp && recollect show restart-the-worker | head"}),
        ("Bash", {"command": "/usr/local/bin/recollect session"}),
        ("Bash", {"command": "python3 -m recollect list"}),
        ("shell", {"command": ["recollect", "list"]}),
        ("shell", {"command": ["bash", "-lc", "cat .claude/memory/runbooks/a.json"]}),
        ("Bash", {"command": "RECOLLECT_HOME=/x recollect list"}),
        ("Bash", {"command": "cat .claude/memory/runbooks/restart-the-worker.json"}),
        ("Read", {"file_path": "/home/ada/shop/.claude/memory/decisions/a.json"}),
        ("Grep", {"pattern": "error", "file_path": ".claude/memory"}),
        ("Bash", {"command": "bash -lc 'recollect search worker'"}),
        ("Bash", {"command": "cd /tmp\nrecollect search worker"}),
        ("Bash", {"command": 'echo "$(recollect search worker)"'}),
        ("recollect_memory_search", {}),
        ("MCP:memory_search", {}),
    ],
)
@requirement("working:echo:ours")
def test_our_tools_our_commands_and_the_files_of_the_memory_are_ours(
    tool: str, given: dict[str, Any]
) -> None:
    assert is_ours(tool, given, ROOTS)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "pytest -q"}),
        ("Bash", {"command": "cd ~/src/recollect && make test"}),
        ("Bash", {"command": "git clone https://example.org/recollect"}),
        ("Bash", {"command": "grep -rn recollect src"}),
        ("Bash", {"command": "git add .claude/memory && git commit -m 'Remember the worker'"}),
        ("Read", {"file_path": "/home/ada/shop/src/memory.py"}),
        ("Edit", {"file_path": "README.md", "new_string": "Memories live in .claude/memory."}),
        ("mcp__github__search_issues", {"q": "memory_search"}),
    ],
)
def test_what_only_speaks_of_us_is_not_ours(tool: str, given: dict[str, Any]) -> None:
    assert not is_ours(tool, given, ROOTS)


@pytest.mark.parametrize(
    ("output", "left"),
    [
        (f"before\n{BLOCK}\nafter", "before\n\nafter"),
        (f"{BLOCK}{BLOCK}", ""),
        (f"x {BLOCK[:60]}", "x "),
        ('{"text": "\\u003cmemory-context a\\u003e b \\u003c/memory-context\\u003e"}', '{"text": ""}'),
        ("&lt;memory-context&gt; a &lt;/memory-context&gt; b", " b"),
        ("one\n- [DECISION] JWT -> .claude/memory/decisions/jwt.json\ntwo", "one\ntwo"),
        ("./.claude/memory/runbooks/a.json:4: FAILED\nsrc/a.py:1: FAILED", "src/a.py:1: FAILED"),
        ("/home/ada/shop/.claude/memory/runbooks/a.json\nb", "b"),
        ("cannot open .claude/memory/index.md", "cannot open .claude/memory/index.md"),
        ("<!-- No memory of this project answers that prompt by itself. -->\nx", "x"),
        ("nothing of ours", "nothing of ours"),
        ("", ""),
    ],
)
def test_a_block_of_ours_is_cut_out_of_any_output(output: str, left: str) -> None:
    assert without_echo(output, ROOTS) == left


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        (f"{BLOCK}\n\nfix the loop", "fix the loop"),
        (f"fix {BLOCK}the {BLOCK} loop", "fix the  loop"),
        ("&lt;memory-context a&gt; b &lt;/memory-context&gt;\nfix the loop", "fix the loop"),
        (BLOCK, ""),
        ("what does <memory-context do?", "what does <memory-context do?"),
        (f"{BLOCK}what does <memory-context do?", "what does <memory-context do?"),
        ("is </memory-context> escaped?", "is </memory-context> escaped?"),
        ("fix the loop", "fix the loop"),
    ],
)
def test_a_block_of_ours_is_no_part_of_a_prompt(prompt: str, left: str) -> None:
    assert typed(prompt) == left


@pytest.mark.parametrize(
    ("output", "echo"),
    [
        (BLOCK, True),
        (f"\n{BLOCK}\n", True),
        ("Found 1 file\n.claude/memory/runbooks/a.json", True),
        (f"{BLOCK}\n1 failed", False),
        ("Found 1 file", False),
        ("", False),
    ],
)
def test_an_output_of_our_words_and_a_heading_is_an_echo(output: str, echo: bool) -> None:
    assert is_echo(output, without_echo(output, ROOTS)) is echo
