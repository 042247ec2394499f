"""The worked example of CONTRIBUTING.md that adds an MCP tool: applied to a copy of the tree, and called."""

from pathlib import Path

import pytest
from tests.docs.worked_examples import applied, edits_of
from tests.requirements import requirement
from tests.samples import draft
from tests.server.running import NEW, raw_client

from recollect.app.opening import init_project
from recollect.records.categories import Category

HEADING = "Add an MCP tool"


def test_the_example_touches_two_source_files() -> None:
    edits = edits_of(HEADING)

    assert {edit.path: edit.is_new for edit in edits} == {
        "src/recollect/server/tags_tool.py": True,
        "src/recollect/server/memory_tools.py": False,
    }


@pytest.fixture
def folder(tmp_path: Path, env: dict[str, str]) -> Path:
    """A project with two decisions and a constraint."""
    folder = tmp_path / "shop"
    folder.mkdir()
    project, _ = init_project(folder, env=env)
    project.memories.save(draft("Sign a JWT at login", tags=["auth", "jwt"]))
    project.memories.save(draft("Use tabs", tags=["style"]), allow_repeat=True)
    project.memories.save(draft("Uploads stay below 5 MB", Category.CONSTRAINT, tags=["auth"]))
    return folder


@requirement("docs:worked-examples:tool")
def test_a_new_tool_is_listed_and_answers(folder: Path, tmp_path: Path, env: dict[str, str]) -> None:
    tree = applied(edits_of(HEADING), tmp_path / "tree")
    with raw_client(folder, env | {"PYTHONPATH": str(tree.top / "src")}, NEW) as client:
        client.begin()
        listed = [tool["name"] for tool in client.result("tools/list")["tools"]]
        every = client.result("tools/call", {"name": "memory_tags", "arguments": {}})
        of_constraints = {"name": "memory_tags", "arguments": {"category": "constraint"}}
        some = client.result("tools/call", of_constraints)
        wrong = client.result("tools/call", {"name": "memory_tags", "arguments": {"kind": "x"}})

    assert listed[-1] == "memory_tags"
    assert every["structuredContent"] == {"tags": ["auth", "jwt", "style"]}
    assert some["content"][0]["text"] == "auth"
    assert "unknown argument 'kind'" in wrong["content"][0]["text"]
