"""The skills and commands that `init` writes for every harness."""

import tomllib
from importlib import resources
from pathlib import Path

import pytest

from recollect import agents
from recollect.agents.harness import SKILL_MARK
from recollect.agents.harnesses import NAMES, all_harnesses, get_harness
from recollect.app.project import Recollect
from recollect.retrieval.request import Request

TYPED = {
    "claude-code": "/memory:search",
    "codex": "$memory-search",
    "cursor": "/memory-search",
    "gemini": "/memory:search",
    "opencode": "/memory-search",
}
harnesses = pytest.mark.parametrize("harness", NAMES)


def skill_paths(harness: str) -> list[str]:
    return [own.path for own in get_harness(harness).files.skills]


@harnesses
def test_what_is_typed_to_search_follows_from_the_files(harness: str) -> None:
    """`/memory:search` is a command in a folder `memory`; `/memory-search` is one of that name."""
    typed = get_harness(harness).files.search_skill

    assert typed == TYPED[harness]
    stem = typed.lstrip("/$").replace(":", "/")
    assert any(stem in path for path in skill_paths(harness))


def test_every_skill_is_in_the_package_and_bears_our_mark() -> None:
    package = resources.files(agents)
    for harness in all_harnesses():
        for own in harness.files.skills:
            assert SKILL_MARK in package.joinpath(own.template).read_text("utf-8"), own.template


def test_the_commands_of_gemini_are_toml_with_a_prompt_that_takes_arguments() -> None:
    for own in get_harness("gemini").files.skills:
        text = (Path(agents.__file__).parent / own.template).read_text("utf-8")
        command = tomllib.loads(text)
        assert set(command) == {"description", "prompt"}
        assert "{{args}}" in command["prompt"]


def test_our_own_skills_are_no_search_result(project: Recollect) -> None:
    connections = project.connections
    connections.apply(connections.connecting("claude-code"))

    hits = project.find(Request("save a decision to the memory of the project")).answer.hits

    assert [hit.document.id for hit in hits if hit.document.id.startswith("skill:")] == []
