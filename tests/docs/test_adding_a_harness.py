"""The worked example of CONTRIBUTING.md that adds a harness: applied to a copy of the tree, and used."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.docs.worked_examples import Tree, applied, edits_of
from tests.requirements import requirement

HEADING = "Add a harness"
DECISION = {
    "category": "decision",
    "title": "Sign a JWT at login",
    "tags": ["auth"],
    "content": {
        "status": "accepted",
        "context": "Sessions do not scale.",
        "decision": "Sign a short-lived JWT at login.",
        "rationale": ["The API keeps no sessions."],
    },
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return applied(edits_of(HEADING), tmp_path / "tree")


def test_the_example_touches_two_source_files() -> None:
    edits = edits_of(HEADING)

    assert [(edit.path, edit.is_new) for edit in edits] == [
        ("src/recollect/agents/acme.py", True),
        ("src/recollect/agents/harnesses.py", False),
    ]


@requirement("docs:worked-examples:harness")
def test_a_new_harness_is_detected_connected_and_answered(
    tree: Tree, tmp_path: Path, env: dict[str, str]
) -> None:
    folder = tmp_path / "shop"
    (folder / ".acme").mkdir(parents=True)
    env = {**env, "PATH": f"{env['PATH']}:{Path(sys.executable).parent}"}

    def recollect(*arguments: str, stdin: str = "") -> Any:
        done = tree.python("-m", "recollect", *arguments, "--json", folder=folder, env=env, stdin=stdin)
        return json.loads(done.stdout)

    def hook(event: str, **fields: object) -> Any:
        words: list[str] = recollect("hook-command", event, "--harness", "acme")["command"]
        payload = {"session_id": "s1", "cwd": str(folder), **fields}
        done = tree.python(*words[1:], folder=folder, env=env, stdin=json.dumps(payload))
        return json.loads(done.stdout) if done.stdout else None

    assert recollect("init", "--yes")["notes"] == ["acme: start `acme` here once and trust the folder."]
    recollect("save", "--file", "-", stdin=json.dumps(DECISION))

    assert (
        "jwt-at-login" in hook("prompt.submitted", prompt="why do we sign a JWT at login?")["context"]
    )
    memory = ".claude/memory/decisions/sign-a-jwt-at-login.json"
    assert (
        memory in hook("tool.requested", tool_name="edit_text", tool_input={"target": memory})["refuse"]
    )
    assert hook("tool.requested", tool_name="edit_text", tool_input={"target": "a.py"}) is None
    assert hook("turn.finished") is None
    assert {key: recollect("status")["harnesses"][0][key] for key in ("name", "connected")} == {
        "name": "acme",
        "connected": True,
    }
