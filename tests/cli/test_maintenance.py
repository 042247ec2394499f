"""`doctor`, `index` and `backup` as commands; what the checks find is in tests/health."""

import sqlite3
import tarfile
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement


def test_a_healthy_root_is_called_so(repository: Cli) -> None:
    repository.save()

    done = repository.ok("doctor")

    assert done.out == "No problems in 1 memory.\n"
    assert repository.ok("doctor", "--json").json()["findings"] == []


def test_an_error_that_is_left_gives_exit_code_8_and_says_where(repository: Cli) -> None:
    repository.write("broken.json", b'{\n  "title": 7x\n}')

    done = repository("doctor")
    found = repository("doctor", "--json")

    assert done.exit_code == found.exit_code == 8
    assert "✗ .claude/memory/decisions/broken.json:2 not valid JSON" in done.out
    assert "1 error in 0 memories." in done.out
    assert found.json()["healthy"] is False
    assert found.json()["findings"][0]["line"] == 2


def test_what_is_safe_is_mended_and_the_second_look_is_clean(repository: Cli) -> None:
    repository.put()  # past the command line: index.md does not know of it

    first = repository.ok("doctor")
    assert "! .claude/memory/index.md does not list the current memories" in first.out
    assert "1 warning in 1 memory. `--fix` fixes what is safe to fix." in first.out

    fixed = repository.ok("doctor", "--fix")
    assert "✓ .claude/memory/index.md" in fixed.out
    assert "fixed" in fixed.out
    assert repository.ok("doctor").out == "No problems in 1 memory.\n"


def test_an_error_that_cannot_be_mended_is_left_with_its_exit_code(repository: Cli) -> None:
    path = repository.write("broken.json", b"{")
    repository.put()

    done = repository("doctor", "--fix", "--json")

    assert done.exit_code == 8
    by_check = {row["check"]: row for row in done.json()["findings"]}
    assert (by_check["unreadable"]["fixable"], by_check["unreadable"]["fixed"]) == (False, False)
    assert by_check["stale-index"]["fixed"] is True
    assert path.read_bytes() == b"{"


def test_doctor_shows_a_file_name_safely(repository: Cli) -> None:
    repository.write("[red]x\x1b[31m.json", b"{}")

    done = repository("doctor")

    assert "\x1b" not in done.out
    assert "[red]x[31m.json" in done.out


def test_doctor_looks_at_the_users_memories_too(repository: Cli) -> None:
    saved = repository.save("Mine", "--user")
    Path(saved["path"]).write_text("{")

    found = repository("doctor", "--json").json()["findings"]

    assert [(row["check"], row["path"]) for row in found if row["level"] == "error"] == [
        ("unreadable", saved["path"])
    ]


def test_index_writes_the_inventory_anew(cli: Cli) -> None:
    index = cli.root / "index.md"
    cli.save("Sign a JWT at login", tags=["auth"])
    before = index.read_bytes()
    assert cli.ok("index", "--json").json() == {
        "path": ".claude/memory/index.md",
        "memories": 1,
        "broken": 0,
        "changed": False,
        "embedded": 0,
    }

    index.write_text("nonsense")
    cli.write("broken.json", b"")
    done = cli.ok("index")

    assert index.read_bytes() == before
    assert "Written: .claude/memory/index.md, 1 memory." in done.out
    assert "1 file could not be read;" in done.out


@requirement("retrieval:index:corrupt")
@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM document",
        "DELETE FROM text_docsize",
        "UPDATE text_data SET block = x'00' WHERE id > 9",
    ],
)
def test_index_builds_a_damaged_search_index_anew_and_says_so(cli: Cli, harm: str) -> None:
    cli.save("Sign a JWT at login", tags=["auth"])
    assert "Sign a JWT at login" in cli.ok("search", "jwt").out
    with sqlite3.connect(cli.root / ".recollect" / "index.db") as db:
        db.execute(harm)
    db.close()

    assert "is rebuilt" in cli.ok("index").err

    assert "Sign a JWT at login" in cli.ok("search", "jwt").out
    assert "is rebuilt" not in cli.ok("index").err


def test_index_of_the_users_memories(cli: Cli) -> None:
    saved = cli.save("Mine", "--user")
    index = Path(saved["path"]).parent.parent / "index.md"
    index.unlink()

    cli.ok("index", "--user")

    assert "Mine" in index.read_text()


@requirement("cli:backup:whole")
@pytest.mark.parametrize("named", [True, False])
def test_a_backup_unpacks_to_the_same_files(cli: Cli, tmp_path: Path, named: bool) -> None:
    cli.save()
    cli.write("broken.json", b"\xff not even text")
    options = ["--to", str(tmp_path / "new" / "shop.tar.gz")] if named else []

    done = cli.ok("backup", "--json", *options).json()

    with tarfile.open(done["path"]) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    unpacked = files(tmp_path / "out")
    left_out = {".recollect/lock", ".recollect/index.db"}  # the index is built again
    assert unpacked == {name: data for name, data in files(cli.root).items() if name not in left_out}
    assert done["files"] == len(unpacked)
    assert b"\xff not even text" in unpacked.values()


def files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_backup_that_cannot_be_written_says_why(cli: Cli) -> None:
    (cli.folder / "taken").write_text("")

    into_a_file = cli("backup", "--to", "taken/x.tar.gz")
    onto_a_file = cli("backup", "--to", "taken")

    assert (into_a_file.exit_code, onto_a_file.exit_code) == (7, 5)
    assert "'taken'" in into_a_file.err
    assert "already exists" in onto_a_file.err


def test_a_backup_into_a_folder_gets_a_name_of_its_own(cli: Cli) -> None:
    cli.save()
    (cli.folder / "kept").mkdir()

    cli.ok("backup", "--to", "kept")

    assert [path.suffixes for path in (cli.folder / "kept").iterdir()] == [[".tar", ".gz"]]


def test_a_backup_says_where_it_is(cli: Cli) -> None:
    cli.save()

    out = cli.ok("backup", "--to", "b.tar.gz").out

    assert out.startswith("Backed up ")
    assert out.endswith(" to b.tar.gz\n")
