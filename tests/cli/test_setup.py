"""`init` and `uninstall`."""

import json
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement

from recollect.storage import git_driver
from recollect.storage.files.setup import ATTRIBUTES


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes, git's own left out."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if ".git/" not in str(path.relative_to(folder))
    }


def test_init_makes_the_root_its_configuration_and_what_git_needs(bare: Cli) -> None:
    bare.git("init", "-q")
    done = bare.ok("init")

    assert json.loads((bare.root / "memory-config.json").read_text()) == {}
    assert (bare.root / ".gitattributes").read_text() == ATTRIBUTES
    assert (bare.root / ".recollect" / ".gitignore").read_text().splitlines()[-1] == "*"
    assert (bare.root / "index.md").exists()
    assert bare.git("config", "merge.recollect.driver").out.strip() == git_driver.command()
    assert "+ created .claude/memory/memory-config.json" in done.out
    assert "recollect save" in done.out


def test_init_again_changes_no_byte(repository: Cli) -> None:
    repository.save()
    before = everything(repository.folder)
    config = (repository.folder / ".git" / "config").read_bytes()

    steps = repository.ok("init", "--json").json()["steps"]

    assert everything(repository.folder) == before
    assert (repository.folder / ".git" / "config").read_bytes() == config
    assert {step["action"] for step in steps} == {"kept"}


@requirement("cli:init:adopts")
def test_init_adopts_a_root_that_is_there(bare: Cli) -> None:
    path = bare.put(id="from-before", title="From before", schema_version="1.0")
    settings = '{"delete": {"grace_period_days": 7}, "others": {"keep": true}}'
    (bare.root / "memory-config.json").write_text(settings)
    before = path.read_bytes()

    bare.ok("init")

    assert path.read_bytes() == before
    assert (bare.root / "memory-config.json").read_text() == settings
    assert "From before" in (bare.root / "index.md").read_text()


def test_init_in_a_subfolder_of_a_checkout_uses_its_top(bare: Cli) -> None:
    bare.git("init", "-q")
    inner = bare.folder / "services" / "api"
    inner.mkdir(parents=True)

    bare.ok("init", cwd=inner)

    assert bare.root.is_dir()
    assert not (inner / ".claude").exists()
    bare.save()
    assert bare.ok("list", "--json", cwd=inner).json()["count"] == 1


def test_init_without_git_pins_the_name_of_the_project(bare: Cli) -> None:
    name = bare.ok("init", "--json").json()["project"]
    moved = bare.folder.rename(bare.folder.with_name("moved"))

    assert bare.ok("config", "--json", cwd=moved).json()["project"] == name


def test_init_and_save_work_below_a_path_with_spaces_and_other_scripts(bare: Cli) -> None:
    folder = bare.folder / "my shop — 店 $HOME 'n' co"
    folder.mkdir()
    elsewhere = Cli(folder, bare.env, bare.monkeypatch)
    elsewhere.git("init", "-q")
    elsewhere.ok("init")

    assert elsewhere.save()["action"] == "created"
    assert elsewhere.ok("list", "--json").json()["count"] == 1
    assert elsewhere.ok("doctor", "--json").json()["healthy"]


def test_a_folder_can_be_named_instead_of_entered(bare: Cli) -> None:
    other = bare.folder / "other"
    other.mkdir()

    bare.ok("-C", str(other), "init")

    assert (other / ".claude" / "memory").is_dir()


def test_init_makes_no_folder_out_of_a_mistyped_name(bare: Cli) -> None:
    done = bare("-C", "no-such-folder", "init")

    assert done.exit_code == 3
    assert "'no-such-folder'" in done.err
    assert not (bare.folder / "no-such-folder").exists()


@requirement("cli:uninstall:takes-out")
def test_uninstall_takes_out_what_init_put_beside_the_memories(repository: Cli) -> None:
    repository.save()
    kept = {name: data for name, data in everything(repository.root).items() if name.endswith(".json")}

    done = repository.ok("uninstall", "--yes")

    left = everything(repository.root)
    assert {name: left[name] for name in kept} == kept
    assert ".gitattributes" not in left
    assert not (repository.root / ".recollect").exists()
    assert repository.git("config", "--get-regexp", "recollect", check=False).out == ""
    assert "the memories are yours" in done.out


def test_uninstall_keeps_attributes_that_were_changed_by_hand(repository: Cli) -> None:
    attributes = repository.root / ".gitattributes"
    attributes.write_text(ATTRIBUTES + "*.md text\n")

    steps = repository.ok("uninstall", "--json").json()["steps"]

    assert attributes.read_text().endswith("*.md text\n")
    assert {
        "what": ".claude/memory/.gitattributes",
        "action": "kept",
        "why": "it was changed by hand",
        "by_hand": "",
    } in steps


def test_uninstall_keeps_versions_that_lost_a_race(cli: Cli) -> None:
    rejected = cli.root / ".recollect" / "rejected" / "x-0.json"
    rejected.parent.mkdir()
    rejected.write_text("{}")

    cli.ok("uninstall", "--yes")

    assert rejected.exists()


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_uninstall_asks_first_and_a_no_changes_nothing(cli: Cli, answer: str) -> None:
    before = everything(cli.folder)

    done = cli("uninstall", stdin=answer)

    assert done.exit_code == 130
    assert everything(cli.folder) == before


def test_init_after_uninstall_puts_everything_back(repository: Cli) -> None:
    before = everything(repository.folder)
    repository.ok("uninstall", "--yes")
    repository.ok("init")

    assert everything(repository.folder) == before
