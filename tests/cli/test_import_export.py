"""`import` and `export` as commands; how sources are read is in tests/importing."""

import json
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.importing.texts import MADR, NYGARD, RULES
from tests.requirements import requirement
from tests.storage.models.shared import tiny_model

from recollect.records.categories import Category

SECRET = "ghp_" + "a1B2" * 9
DECISION = "We will write a short file for each decision."


@pytest.fixture
def adrs(cli: Cli) -> Cli:
    """A project with a folder of decision records."""
    write(cli.folder / "docs" / "adr", NYGARD)
    return cli


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def files(root: Path) -> dict[str, bytes]:
    """What a root holds but for what is derived or of the machine."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".recollect" not in path.parts and path.name != "project-id"
    }


def another(cli: Cli, folder: Path) -> Cli:
    """The command line in another, empty project."""
    folder.mkdir()
    other = Cli(folder, cli.env, cli.monkeypatch)
    other.ok("init")
    return other


@requirement("exchange:import:dry-run")
def test_an_import_shows_what_would_come_in_and_why_something_would_not(cli: Cli) -> None:
    write(cli.folder / "docs" / "adr", MADR)
    before = files(cli.root)

    out = cli.ok("import", "docs/adr").out

    assert "  · docs/adr/0000-template.md  a template: its text is placeholders\n" in out
    assert (
        "  + docs/adr/0005-queue.md  use-rabbitmq-as-the-message-queue "
        "Use RabbitMQ as the message queue  new\n"
    ) in out
    assert "  · docs/adr/README.md  an index or a readme, not a decision\n" in out
    assert out.endswith("Would create 2, update 0, skip 2. Run it with --yes to import.\n")
    assert files(cli.root) == before


def test_yes_brings_it_in(adrs: Cli) -> None:
    out = adrs.ok("import", "docs/adr", "--yes").out

    assert out.endswith("Imported: 3 created, 0 updated, 0 skipped.\n")
    assert adrs.memory("record-our-decisions")["content"]["decision"] == DECISION
    assert adrs.memory("store-sessions-in-redis")["valid_to"]
    assert adrs.ok("list", "--json").json()["total"] == 3


def test_a_second_import_changes_no_file_and_a_changed_source_only_its_own(adrs: Cli) -> None:
    adrs.ok("import", "docs/adr", "--yes")
    before = files(adrs.root)

    again = adrs.ok("import", "docs/adr", "-y")

    assert "already imported" in again.out
    assert again.out.endswith("Imported: 0 created, 0 updated, 3 skipped.\n")
    assert adrs.ok("import", "docs/adr").out.endswith("Would create 0, update 0, skip 3.\n")
    assert files(adrs.root) == before

    name = "0001-record-decisions.md"
    write(adrs.folder / "docs" / "adr", {name: NYGARD[name].replace("a short file", "a page")})
    changed = adrs.ok("import", "docs/adr", "--yes")

    assert (
        f"  ~ docs/adr/{name}  record-our-decisions Record our decisions  changed in the source\n"
        in changed.out
    )
    assert changed.out.endswith("Imported: 0 created, 1 updated, 2 skipped.\n")
    assert {path for path, data in files(adrs.root).items() if before.get(path) != data} == {
        "decisions/record-our-decisions.json"
    }


@pytest.mark.parametrize("applied", [False, True])
def test_an_import_prints_the_documented_shape(adrs: Cli, applied: bool) -> None:
    write(adrs.folder / "docs" / "adr", {"notes.md": "# Meeting\n\nWe talked about lunch.\n"})
    adrs.save("Record our decisions", content={"decision": DECISION})

    found = adrs.ok("import", "docs/adr", "--json", *(["--yes"] if applied else [])).json()

    assert mismatches(found, SHAPES["import"]) == []
    assert (found["applied"], found["kind"]) == (applied, "adr")
    actions = [row["action"] for row in found["rows"]]
    assert [found["created"], found["updated"], found["skipped"]] == [
        actions.count(action) for action in ("create", "update", "skip")
    ]
    (meeting,) = (row for row in found["rows"] if row["origin"] == "docs/adr/notes.md")
    assert (meeting["action"], meeting["id"], meeting["title"]) == ("skip", None, None)
    assert meeting["reason"]
    assert (adrs.ok("list", "--json").json()["total"] > 1) is applied


def test_what_a_source_is_can_be_said(cli: Cli) -> None:
    """A file of rules under a name that says nothing would be taken for a decision record."""
    (cli.folder / "house-style.md").write_text(RULES)

    assert cli.ok("import", "house-style.md", "--json").json()["kind"] == "adr"
    found = cli.ok("import", "house-style.md", "--as", "rules", "--json").json()

    assert found["kind"] == "rules"
    assert "Write the failing test first" in {row["title"] for row in found["rows"]}


def test_a_kind_that_there_is_not_is_answered_with_those_there_are(adrs: Cli) -> None:
    done = adrs("import", "docs/adr", "--as", "wiki")

    assert done.exit_code == 5
    assert done.err == (
        "recollect: unknown kind 'wiki'; choose one of claude-memory, adr, rules, export, basic-memory, "
        "claude-mem, letta, mem0, memory-graph.\n"
    )


def test_every_kind_of_source_is_found_out_by_looking(cli: Cli, tmp_path: Path) -> None:
    other = another(cli, tmp_path / "other")
    other.save("Cache the price list")
    other.ok("export", "--to", str(cli.folder / "memories.json"))
    (cli.folder / "CLAUDE.md").write_text(RULES)
    write(cli.folder / "docs", NYGARD)

    sources = ["docs", "CLAUDE.md", str(other.root), "memories.json"]
    kinds = [cli.ok("import", source, "--json").json()["kind"] for source in sources]

    assert kinds == ["adr", "rules", "claude-memory", "export"]


@pytest.mark.parametrize("options", [("--json",), ()])
def test_a_secret_in_a_decision_record_reaches_no_file_and_no_line(
    cli: Cli, options: tuple[str, ...]
) -> None:
    name = "0001-record-decisions.md"
    text = NYGARD[name].replace("New people ask", f"The token is {SECRET}. New people ask")
    write(cli.folder / "adr", {name: text.replace("# 1. Record", f"# 1. {SECRET} Record")})

    shown = cli.ok("import", "adr", *options)
    done = cli.ok("import", "adr", "--yes", *options)

    assert "a secret is removed from content.context (github token)" in shown.out
    assert "a secret is removed from title (github token)" in done.out
    assert SECRET not in shown.out + shown.err + done.out + done.err
    (id,) = (row["id"] for row in cli.ok("list", "--json").json()["memories"])
    assert "The token is [REDACTED]." in cli.memory(id)["content"]["context"]
    cli.ok("search", "token")
    kept = [path for path in cli.root.rglob("*") if path.is_file()]
    assert [path for path in kept if SECRET.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("options", [(), ("--as", "adr"), ("--as", "export")])
def test_a_path_that_leads_nowhere_is_exit_code_3(cli: Cli, options: tuple[str, ...]) -> None:
    done = cli("import", "gone", *options)

    assert done.exit_code == 3
    assert done.err == "recollect: 'gone' does not exist; check the path.\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [("photo.png", "\x89PNG"), ("package.json", '{"name": "shop"}'), ("empty/.keep", "")],
)
def test_what_cannot_be_imported_is_exit_code_5_with_what_can(cli: Cli, name: str, text: str) -> None:
    path = cli.folder / name
    write(path.parent, {path.name: text})
    source = name.split("/", maxsplit=1)[0]

    done = cli("import", source)

    assert done.exit_code == 5
    assert f"'{source}' cannot be imported. Supported: a claude-memory folder" in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "recollect-export", "version": 9, "memories": []}', "Upgrade Recollect."),
        ('{"format": "recollect-export",', "line 1"),
    ],
)
def test_an_export_that_cannot_be_read_is_refused_whole(cli: Cli, text: str, message: str) -> None:
    (cli.folder / "memories.json").write_text(text)

    done = cli("import", "memories.json", "--yes")

    assert done.exit_code == 5
    assert message in done.err
    assert cli.ok("list", "--json").json()["total"] == 0


def test_a_file_name_and_a_title_are_shown_safely(cli: Cli) -> None:
    text = NYGARD["0001-record-decisions.md"].replace("Record our", "[red]Record\u202e our")
    write(cli.folder / "adr", {"1-\x1b[31m[bold]x.md": text})

    out = cli.ok("import", "adr").out

    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "[bold]x.md" in out
    assert "[red]Record" in out


def test_user_memories_come_in_and_go_out_on_their_own(cli: Cli) -> None:
    (cli.folder / "CLAUDE.md").write_text(RULES)
    cli.ok("import", "CLAUDE.md", "--user", "--yes")
    cli.save("Sign a JWT at login")

    mine = json.loads(cli.ok("export", "--user").out)["memories"]
    ours = json.loads(cli.ok("export").out)["memories"]

    assert "Write the failing test first" in {memory["title"] for memory in mine}
    assert [memory["title"] for memory in ours] == ["Sign a JWT at login"]
    assert not (cli.root / "preferences").exists() or not any((cli.root / "preferences").iterdir())
    assert cli.ok("import", "CLAUDE.md", "--user", "--json").json()["created"] == 0


def test_an_export_of_a_user_without_memories_is_empty(cli: Cli) -> None:
    assert json.loads(cli.ok("export", "--user").out)["memories"] == []


def _fill(cli: Cli) -> None:
    """One memory of every category and state, with links, anchors, history and an unknown field."""
    (cli.folder / "a.py").write_text("x = 1\n")
    ids = {
        category: cli.save(f"{category.value} \u2014 \u00e9t\u00e9", category=category, colour="green")[
            "id"
        ]
        for category in Category
    }
    runbook = ids[Category.RUNBOOK]
    cli.ok("edit", runbook, "--anchor", "a.py", "--title", "Again and again")
    cli.ok("link", runbook, "caused", "skill:x")
    cli.ok("retire", ids[Category.PREFERENCE], "-r", "Not any more")
    cli.ok("archive", ids[Category.TECH_DEBT], "-r", "Done")
    content = dict.fromkeys(("context", "decision"), "Opaque sessions it is.")
    cli.save("Opaque sessions", "--supersedes", ids[Category.DECISION], content=content)


@requirement("exchange:export:lossless")
@pytest.mark.parametrize("piped", [True, False])
def test_an_export_imported_into_an_empty_root_gives_the_same_files(
    cli: Cli, tmp_path: Path, piped: bool
) -> None:
    _fill(cli)
    export = tmp_path / "memories.json"
    if piped:
        export.write_bytes(cli.process("export").out.encode())
    else:
        cli.ok("export", "--to", str(export))
    other = another(cli, tmp_path / "other")

    done = other.ok("import", str(export), "--yes", "--json").json()

    assert done["created"] == 7
    assert done["skipped"] == 0
    assert files(other.root) == files(cli.root)
    assert sum(path.endswith(".json") and "/" in path for path in files(other.root)) == 7
    assert other.ok("import", str(export), "--yes", "--json").json()["skipped"] == 7


def test_an_export_goes_to_a_file_or_to_standard_output(cli: Cli) -> None:
    cli.save()

    told = cli.ok("export", "--to", "m.json")
    printed = cli.ok("export")

    assert told.out == "Exported 1 memory to m.json\n"
    to_file, to_stream = json.loads((cli.folder / "m.json").read_text()), json.loads(printed.out)
    assert to_file["format"] == to_stream["format"] == "recollect-export"
    assert to_file["memories"] == to_stream["memories"]
    assert [memory["id"] for memory in to_stream["memories"]] == ["sign-a-jwt-at-login"]
    assert printed.err == ""


def test_an_export_to_a_file_prints_the_documented_shape(cli: Cli) -> None:
    cli.save()

    found = cli.ok("export", "--to", "m.json", "--json").json()

    assert mismatches(found, SHAPES["export"]) == []
    assert found == {"path": "m.json", "memories": 1}


def test_an_export_with_json_and_no_file_is_the_export_itself(cli: Cli) -> None:
    assert cli.ok("export", "--json").json()["format"] == "recollect-export"


@pytest.mark.parametrize("options", [(), ("--to", "m.json"), ("--to", "m.json", "--json")])
def test_a_file_that_cannot_be_read_is_named_beside_the_export(
    cli: Cli, options: tuple[str, ...]
) -> None:
    cli.save()
    cli.write("broken.json", b'{\n "title": 7x}')

    done = cli.ok("export", *options)

    assert done.err.startswith(
        "recollect: skipped .claude/memory/decisions/broken.json: not valid JSON"
    )
    assert "broken.json" not in done.out
    text = (cli.folder / "m.json").read_text() if options else done.out
    assert len(json.loads(text)["memories"]) == 1


def test_a_broken_files_name_is_shown_safely(cli: Cli) -> None:
    cli.write("[red]x\x1b[31m\u202e.json", b"{}")

    err = cli.ok("export", "--to", "m.json").err

    assert "\x1b" not in err
    assert "\u202e" not in err
    assert "[red]x" in err


@pytest.mark.parametrize("place", ["gone/m.json", ".claude"])
def test_an_export_that_cannot_be_written_says_where(cli: Cli, place: str) -> None:
    done = cli("export", "--to", place)

    assert done.exit_code == 7
    assert f"cannot write '{place}'" in done.err


def test_a_failed_export_leaves_the_one_before_whole(cli: Cli) -> None:
    cli.save()
    cli.ok("export", "--to", "m.json")
    before = (cli.folder / "m.json").read_bytes()
    (cli.root / "memory-config.json").write_text("{")

    assert cli("export", "--to", "m.json").exit_code == 5
    assert (cli.folder / "m.json").read_bytes() == before
    assert not list(cli.folder.glob("*tmp*"))


def test_memories_of_a_claude_memory_folder_come_in_as_they_are(cli: Cli, tmp_path: Path) -> None:
    other = another(cli, tmp_path / "old-checkout")
    path = other.put(Category.RUNBOOK, schema_version="1.0", id="drain", colour="green")

    cli.ok("import", str(other.root), "--yes")

    assert json.loads((cli.root / "runbooks" / "drain.json").read_text()) == json.loads(
        path.read_text()
    )


@pytest.mark.parametrize("arguments", [("import", "x.md"), ("export",)])
def test_without_a_memory_root_both_say_how_to_make_one(bare: Cli, arguments: tuple[str, ...]) -> None:
    (bare.folder / "x.md").write_text("# x\n")

    done = bare(*arguments)

    assert done.exit_code == 3
    assert "`recollect init` creates one here" in done.err


@requirement("retrieval:vectors:idle")
def test_an_import_embeds_what_it_brings_in(adrs: Cli, tmp_path: Path) -> None:
    source = tiny_model(tmp_path / "tiny", width=8)
    adrs.ok("model", "install", "tiny", "--from", str(source))
    adrs.ok("model", "use", "tiny")

    imported = adrs.ok("import", "docs/adr", "--yes", "--json").json()

    assert imported["embedded"] == imported["created"] > 0
    assert adrs.ok("index", "--json").json()["embedded"] == 0
