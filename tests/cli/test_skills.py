"""`init` and `uninstall` with the skills and commands of each harness."""

import pytest
from tests.cli.running import Cli
from tests.cli.test_setup import everything
from tests.requirements import requirement

from recollect.agents.harnesses import NAMES, get_harness

WORDS = ("search", "save", "status")
harnesses = pytest.mark.parametrize("harness", NAMES)


def skill_paths(harness: str) -> list[str]:
    return [own.path for own in get_harness(harness).files.skills]


@harnesses
@requirement("agents:skills:installed")
def test_init_gives_a_harness_three_skills_and_uninstall_takes_them_out(
    bare: Cli, harness: str
) -> None:
    before = everything(bare.folder)
    bare.ok("init", "--harness", harness, "--yes")

    for word in WORDS:
        (path, *_) = [path for path in skill_paths(harness) if word in path]
        assert "recollect" in (bare.folder / path).read_text("utf-8").lower()
    bare.ok("uninstall", "--yes")
    assert everything(bare.folder) == before


@harnesses
def test_a_users_own_skill_of_that_name_stays_and_comes_with_advice(bare: Cli, harness: str) -> None:
    path = bare.folder / skill_paths(harness)[0]
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")

    steps = bare.ok("init", "--harness", harness, "--yes", "--json").json()["steps"]

    assert path.read_text() == "mine\n"
    [step] = [step for step in steps if step["what"].endswith(skill_paths(harness)[0])]
    assert step["action"] in ("kept", "skipped")
    bare.ok("uninstall", "--yes")
    assert path.read_text() == "mine\n"


def test_status_says_what_the_tools_cost(cli: Cli) -> None:
    surface = cli.ok("status", "--json").json()["surface"]

    assert surface["loaded_first"] == ["memory_search", "memory_context", "memory_save"]
    assert 0 < surface["loaded_first_tokens"] < surface["tokens"]
    assert f"{surface['tokens']:,} tokens" in cli.ok("status").out
