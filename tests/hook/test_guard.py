"""Memories are written through Recollect, and a person decides what binds agents; the rest is allowed."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st
from tests.hook.conftest import Harness
from tests.requirements import requirement

from recollect.agents.harnesses import get_harness
from recollect.app.project import Recollect
from recollect.hook.guard import objection
from recollect.storage.files.root import MemoryRoot

HARNESS_OF = {
    "apply_patch": "codex",
    "shell": "codex",
    "write_file": "gemini",
    "run_shell_command": "gemini",
    "patch": "opencode",
    "Delete": "cursor",
    "edit_file": "cursor",
}
INSIDE = ".claude/memory/decisions/x.json"


@pytest.fixture
def root(folder: Path) -> MemoryRoot:
    return MemoryRoot(folder / ".claude/memory", ".claude/memory")


def denied(tool: str, given: dict[str, Any], folder: str, root: str, name: str = "claude-code") -> str:
    event = get_harness(name).event("", {"tool_name": tool, "tool_input": given})
    return objection(event, folder, root)


def patch(line: str) -> str:
    return f"*** Begin Patch\n*** Add File: notes.md\n+x\n{line}\n+y\n*** End Patch"


DENIED: list[tuple[str, dict[str, Any]]] = [
    ("Write", {"file_path": INSIDE}),
    ("Edit", {"file_path": f"src/../{INSIDE}"}),
    ("MultiEdit", {"file_path": INSIDE, "edits": []}),
    ("write_file", {"path": ".claude/memory/runbooks/new-folder/y.json"}),
    ("Write", {"file_path": ".claude/memory/index.md"}),
    ("mcp__files__write", {"path": INSIDE}),
    ("mcp__files__write_file", {"path": INSIDE}),
    ("NotebookEdit", {"notebook_path": INSIDE}),
    ("Delete", {"target_file": INSIDE}),
    ("edit_file", {"target_file": INSIDE}),
    ("apply_patch", {"command": patch(f"*** Update File: {INSIDE}")}),
    ("apply_patch", {"input": patch(f"*** Delete File: {INSIDE}")}),
    ("patch", {"patchText": patch(f"*** Move to: {INSIDE}")}),
    ("Bash", {"command": f'cat > {INSIDE} <<\'EOF\'\n{{"title": "it\'s"}}\nEOF'}),
    ("Bash", {"command": f"jq . x.json | tee {INSIDE}"}),
    ("Bash", {"command": "cp /tmp/x.json .claude/memory/decisions/"}),
    ("Bash", {"command": f"mv {INSIDE} /tmp"}),
    ("Bash", {"command": f"sed -i 's/a/b/' {INSIDE}"}),
    ("Bash", {"command": "cd .claude/memory && rm -f decisions/*.json"}),
    ("Bash", {"command": "echo x >> .claude/memory/index.md"}),
    ("run_shell_command", {"command": f"rm {INSIDE}"}),
    ("shell", {"command": ["bash", "-lc", f"rm {INSIDE}"]}),
    ("shell", {"command": ["rm", INSIDE]}),
    ("shell", {"command": f"apply_patch <<'E'\n{patch(f'*** Update File: {INSIDE}')}\nE"}),
]


@pytest.mark.parametrize(("tool", "given"), DENIED)
@requirement("hook:guard:denies")
def test_a_direct_write_to_a_memory_is_answered_with_the_right_way(
    tool: str, given: dict[str, Any], folder: Path, root: MemoryRoot
) -> None:
    reason = denied(tool, given, str(folder), str(root.path), HARNESS_OF.get(tool, "claude-code"))

    assert "memory_save" in reason
    assert "recollect save" in reason


ALLOWED: list[tuple[str, dict[str, Any]]] = [
    ("Read", {"file_path": INSIDE}),
    ("Write", {"file_path": "src/decisions/x.json"}),
    ("Write", {"file_path": ".claude/memory/memory-config.json"}),
    ("Write", {"file_path": ".claude/memory"}),
    ("Write", {"file_path": 7}),
    ("Write", {}),
    ("Write", {"content": INSIDE}),
    ("apply_patch", {"command": patch("*** Update File: src/a.py")}),
    ("apply_patch", {"command": ["git", "status"]}),
    ("Bash", {"command": f"cat {INSIDE}"}),
    ("Bash", {"command": f"cat {INSIDE} > /tmp/copy.json; rm -f /tmp/copy.json"}),
    ("Bash", {"command": f"cp {INSIDE} /tmp"}),
    ("Bash", {"command": f"sed -n 1,5p {INSIDE}"}),
    ("Bash", {"command": f"git rm -q {INSIDE} && git checkout -- {INSIDE}"}),
    ("Bash", {"command": "rm decisions/x.json"}),
    ("Bash", {"command": f"cat > notes.md <<EOF\nrm {INSIDE}\nEOF"}),
    ("Bash", {"command": f"recollect save --file - < {INSIDE} > /dev/null"}),
    ("Bash", {"command": f"echo 'rm {INSIDE}'"}),
    ("Bash", {"command": ["rm", 7, None]}),
    ("Bash", {"command": 7}),
    ("Bash", {}),
]


@pytest.mark.parametrize(("tool", "given"), ALLOWED)
@requirement("hook:guard:allows")
def test_everything_else_is_allowed(
    tool: str, given: dict[str, Any], folder: Path, root: MemoryRoot
) -> None:
    assert denied(tool, given, str(folder), str(root.path)) == ""


FOR_PEOPLE = [
    "recollect gateway policy allow 'files:*'",
    "recollect gateway policy ask 'files:write_*'",
    "recollect gateway policy --remove 'files:write_*'",
    "recollect gateway policy --json --remove=files:x",
    "recollect gateway trust files",
    "recollect gateway trust files --cost 0",
    "recollect gateway review files --accept",
    "recollect gateway review --accept-all --json",
    "recollect gateway import --take-over",
    "recollect gateway import files --take-over --yes",
    "recollect gateway import --all -y",
    "recollect gateway projection accept tracker:search",
    "recollect gateway projection remove tracker:search --json",
    "recollect run approve run-1a2b write",
    "recollect forget jwt-over-cookies --yes",
    "recollect -C /shop forget --user answer-in-german",
    "uv run recollect review keep 3f2a9c1d",
    "recollect review --kind draft drop 3f2a9c1d && echo done",
    "sh -c 'recollect review merge 3f2a --into x'",
    "recollect session keep session-5f2c",
    "recollect run start look.json --yes-read-only",
    "recollect run reject run-1a2b write --json",
    "python -m recollect run grant files:write path=x",
    "recollect gateway login tracker",
    "recollect gateway secret set KEY",
    "recollect gateway secret remove KEY",
    "/usr/local/bin/recollect gateway login tracker",
    "./.venv/bin/python -I -m recollect gateway login tracker",
    "python3 -m recollect -C ../shop gateway login tracker",
    "recollect --project ../shop gateway login tracker",
    "HOME=/tmp sudo -u me recollect gateway login tracker",
    "env -u X LANG=C recollect gateway login tracker",
    "env -S 'recollect gateway login tracker'",
    "timeout 5 uv run recollect gateway login tracker",
    "cd /tmp && recollect gateway login tracker; ls",
    "echo swordfish | recollect gateway secret set KEY",
    "recollect gateway secret set KEY <<< swordfish",
    "yes | recollect gateway review files --accept > /dev/null 2>&1 &",
    "ls | xargs -n1 recollect gateway login",
    "bash -lc 'recollect gateway login tracker'",
    'timeout 5 sh -c "echo x; recollect gateway login tracker"',
    "script -qc 'recollect gateway review files --accept' /dev/null",
    "eval recollect gateway login tracker",
    "echo 'recollect gateway login tracker' | sh",
    "sh <<EOF\nrecollect gateway login tracker\nEOF",
    "x=$(recollect gateway login tracker)",
    'echo "$(recollect gateway login tracker)"',
    "echo `recollect gateway login tracker`",
    "rec'ollect' gate\\way \"login\" tracker",
    "if true; then recollect gateway login tracker; fi",
    "python -c 'import os; os.system(\"recollect gateway login tracker\")'",
]
FOR_AGENTS = [
    "recollect gateway policy",
    "recollect gateway policy deny 'files:*'",
    "recollect gateway trust files --no",
    "recollect gateway speculation",
    "recollect gateway review",
    "recollect gateway review files --reject",
    "recollect gateway import",
    "recollect gateway import --take-over --dry-run --json",
    "recollect gateway list; recollect gateway test",
    "recollect review",
    "recollect review --json --kind draft",
    "recollect search forget",
    "recollect remember --yes 'Never forget to run recollect review keep'",
    "recollect capability forget deploy",
    "recollect gateway secret list",
    "recollect gateway projection list",
    "recollect gateway logs login",
    "recollect gateway discover 'gateway login'",
    "recollect save --title 'Never run recollect gateway login'",
    "echo recollect gateway login tracker",
    "grep -rn 'recollect gateway login' docs",
    "git commit -m 'Explain recollect gateway policy allow'",
    "cat > notes.md <<EOF\nrecollect gateway login tracker\nEOF",
    "gh pr create --body 'run recollect gateway login tracker'",
    "other gateway login tracker",
]


@pytest.mark.parametrize("command", FOR_PEOPLE)
@requirement("hook:guard:decisions")
def test_what_only_a_person_may_decide_is_denied_to_an_agent(command: str) -> None:
    for tool in ("Bash", "run_shell_command", "shell"):
        reason = denied(
            tool, {"command": command}, "/p", "/p/.claude/memory", HARNESS_OF.get(tool, "claude-code")
        )

        assert "ask the user to run it" in reason


@pytest.mark.parametrize("command", FOR_AGENTS)
@requirement("hook:guard:allows")
def test_an_agent_may_look_at_the_gateway_and_forbid_tools(command: str) -> None:
    assert denied("Bash", {"command": command}, "/p", "/p/.claude/memory") == ""


@any_of(
    st.lists(
        st.sampled_from(["recollect", "gateway", "login", "$(", "`", "'", '"', "<<", "|", "sh", " "])
    )
)
def test_no_text_that_names_the_gateway_is_an_error(parts: list[str]) -> None:
    given = {"command": "recollect gateway " + " ".join(parts)}

    assert isinstance(denied("Bash", given, "/nowhere", "/nowhere/.claude/memory"), str)


def test_a_symlink_into_the_root_is_seen_through(folder: Path, root: MemoryRoot) -> None:
    (folder / "short").symlink_to(root.path)

    assert denied("Write", {"file_path": "short/decisions/x.json"}, str(folder), str(root.path))


def test_an_absolute_path_from_another_folder_is_seen(tmp_path: Path, root: MemoryRoot) -> None:
    given = {"file_path": str(root.path / "decisions/x.json")}

    assert denied("Write", given, str(tmp_path), str(root.path))


@requirement("hook:guard:denies")
def test_a_command_from_within_the_root_is_seen(root: MemoryRoot) -> None:
    given = {"command": "rm decisions/x.json"}

    assert denied("Bash", given, str(root.path), str(root.path))


@any_of(
    st.sampled_from(["Write", "Bash", "apply_patch", "shell", ""]),
    st.sampled_from(["command", "file_path", "input", "cmd"]),
    st.sampled_from([INSIDE, "rm ", "\0", "\ud800", "> ", "<<E\n", "'", '"', "\\", "x" * 300]),
    st.text(max_size=10),
)
def test_whatever_a_tool_is_given_is_no_error(tool: str, key: str, part: str, text: str) -> None:
    for value in (part + text, text + part + INSIDE, [part, text, INSIDE]):
        assert isinstance(denied(tool, {key: value}, "/nowhere", "/nowhere/.claude/memory"), str)


@requirement("hook:guard:denies")
def test_the_harness_is_told_in_its_own_words(project: Recollect, harness: Harness) -> None:
    denied = harness.send("PreToolUse", tool_name="Write", tool_input={"file_path": INSIDE})
    allowed = harness.send("PreToolUse", tool_name="Write", tool_input={"file_path": "a.py"})

    told = json.loads(denied.out)["hookSpecificOutput"]
    assert told["permissionDecision"] == "deny"
    assert "recollect save" in told["permissionDecisionReason"]
    assert (allowed.exit_code, allowed.out) == (0, "")
