"""The worked example of CONTRIBUTING.md that adds a boost: applied to a copy of the tree, and used."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.docs.test_adding_a_harness import DECISION
from tests.docs.worked_examples import Tree, applied, edits_of
from tests.requirements import requirement

HEADING = "Add a boost"
MEMORY = ".claude/memory/decisions/sign-a-jwt-at-login.json"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return applied(edits_of(HEADING), tmp_path / "tree")


def test_the_example_touches_three_source_files() -> None:
    assert {edit.path for edit in edits_of(HEADING)} == {
        "src/recollect/retrieval/boosts.py",
        "src/recollect/config/__init__.py",
        "src/recollect/app/attention.py",
    }


@requirement("docs:worked-examples:boost")
def test_a_new_boost_raises_what_the_session_used_once_it_is_switched_on(
    tree: Tree, tmp_path: Path, env: dict[str, str]
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()

    def recollect(*arguments: str, stdin: str = "", **more: str) -> Any:
        done = tree.python(
            "-m", "recollect", *arguments, "--json", folder=folder, env=env | more, stdin=stdin
        )
        return json.loads(done.stdout)

    def hook(event: str, **fields: object) -> None:
        words: list[str] = recollect("hook-command", event, "--harness", "claude-code")["command"]
        payload = {"session_id": "s1", "cwd": str(folder), **fields}
        tree.python(*words[1:], folder=folder, env=env, stdin=json.dumps(payload))

    def boost(**more: str) -> dict[str, float]:
        search = recollect("search", "sign a JWT", "--explain", **more)
        parts: dict[str, float] = search["hits"][0]["explanation"]["boost"]
        return parts

    recollect("init", "--no-harness")
    recollect("save", "--file", "-", stdin=json.dumps(DECISION))
    hook("UserPromptSubmit", prompt="why do we sign a JWT at login?")
    hook("PostToolUse", tool_name="Read", tool_input={"file_path": str(folder / MEMORY)})

    assert boost()["used"] == 0.0
    assert boost(RECOLLECT_USED_BOOST="1")["used"] == 0.05
