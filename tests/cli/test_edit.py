"""`edit`: by options, from a file, in $EDITOR."""

import json
import tempfile
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.requirements import requirement

ID = "sign-a-jwt-at-login"


@pytest.fixture
def saved(cli: Cli) -> Cli:
    """A project with one memory."""
    cli.save(tags=["auth", "jwt"])
    return cli


def editor(cli: Cli, script: str) -> str:
    """An editor that runs `script` with the file's name in $1."""
    path = cli.folder.parent / "my editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return f"'{path}'"


def test_options_change_what_they_name_and_the_change_is_noted(saved: Cli) -> None:
    old = saved.memory(ID)

    done = saved.ok(
        "edit", ID, "-t", "Sign a token", "-s", "status=deprecated", "-s", "consequences=One", "--json"
    )

    new = saved.memory(ID)
    assert done.json()["action"] == "updated"
    assert new["title"] == "Sign a token"
    assert new["content"] == old["content"] | {"status": "deprecated", "consequences": ["One"]}
    assert new["changes"][-1]["summary"] == "Changed title, status, consequences"
    assert (new["id"], new["created_at"], new["times_updated"]) == (ID, old["created_at"], 1)


def test_tags_are_added_and_removed(saved: Cli) -> None:
    saved.ok("edit", ID, "--add-tag", "legacy", "--add-tag", "auth", "--remove-tag", "jwt")

    assert saved.memory(ID)["tags"] == ["auth", "legacy"]


def test_an_edit_takes_the_options_of_a_save(saved: Cli) -> None:
    saved.save("Sign a token of our own", content={"decision": "Sign it ourselves."})

    saved.ok(
        "edit",
        ID,
        "--tag",
        "legacy",
        "--related-file",
        "auth.py",
        "--supersedes",
        "sign-a-token-of-our-own",
    )

    memory = saved.memory(ID)
    assert memory["tags"] == ["auth", "jwt", "legacy"]
    assert memory["related_files"] == ["auth.py"]
    assert memory["links"] == [{"type": "supersedes", "target": "mem:sign-a-token-of-our-own"}]


@requirement("cli:edit:terminal")
def test_without_a_terminal_no_editor_is_opened(saved: Cli) -> None:
    saved.env["EDITOR"] = editor(saved, 'touch "$1.opened"; exit 3')

    done = saved("edit", ID)

    assert done.exit_code == 5
    assert "an editor needs a terminal" in done.err
    assert "--set" in done.err


def test_the_last_tag_stays(saved: Cli) -> None:
    done = saved("edit", ID, "--remove-tag", "auth", "--remove-tag", "jwt")

    assert done.exit_code == 5
    assert "at least one tag" in done.err
    assert saved.memory(ID)["tags"] == ["auth", "jwt"]


def test_a_file_changes_the_fields_it_has_and_no_identity(saved: Cli) -> None:
    fields = {
        "id": "other",
        "category": "runbook",
        "created_at": "1999-01-01T00:00:00Z",
        "confidence": 0.5,
        "content": {"decision": "Sign it twice."},
    }

    saved.ok("edit", ID, "--file", "-", stdin=json.dumps(fields))

    memory = saved.memory(ID)
    assert (memory["category"], memory["confidence"]) == ("decision", 0.5)
    assert memory["content"]["decision"] == "Sign it twice."
    assert memory["content"]["status"] == "accepted"
    assert not memory["created_at"].startswith("1999")


@pytest.mark.parametrize("content", ["[1]", '"x"'])
def test_a_file_whose_content_is_no_object_is_refused(saved: Cli, content: str) -> None:
    done = saved("edit", ID, "--file", "-", stdin=f'{{"content": {content}}}')

    assert done.exit_code == 5
    assert "content: must be an object" in done.err


def test_an_edit_that_changes_nothing_changes_no_byte(saved: Cli) -> None:
    path = saved.root / "decisions" / f"{ID}.json"
    before = path.read_bytes()

    done = saved.ok("edit", ID, "--add-tag", "auth", "--file", "-", "--json", stdin='{"content": null}')

    assert done.json()["action"] == "unchanged"
    assert path.read_bytes() == before


def test_an_edit_of_a_version_that_is_gone_is_a_conflict_that_keeps_both(saved: Cli) -> None:
    version = saved.ok("show", ID, "--json").json()["version"]
    saved.ok("edit", ID, "-t", "Mine")

    done = saved("edit", ID, "-t", "Yours", "--expect", version)

    assert done.exit_code == 4
    assert version[:12] in done.err
    assert saved.memory(ID)["title"] == "Mine"
    kept = list((saved.root / ".recollect" / "rejected").glob("*.json"))
    assert [json.loads(path.read_text())["title"] for path in kept] == ["Yours"]


def test_reanchoring_makes_a_drifted_memory_fresh(saved: Cli) -> None:
    code = saved.folder / "auth.py"
    code.write_text("one\ntwo\n")
    saved.ok("edit", ID, "--anchor", "auth.py", "--anchor", "auth.py:2")
    code.write_text("one\n2\n")
    assert verdicts(saved) == ["drifted", "drifted"]

    saved.ok("edit", ID, "--reanchor")

    assert verdicts(saved) == ["fresh", "fresh"]
    assert [row.get("lines") for row in saved.memory(ID)["anchors"]] == [None, "2-2"]


def verdicts(cli: Cli) -> list[str]:
    return [row["verdict"] for row in cli.ok("show", ID, "--json").json()["anchors"]]


def test_anchoring_one_place_again_renews_it(saved: Cli) -> None:
    code = saved.folder / "auth.py"
    code.write_text("one\n")
    saved.ok("edit", ID, "--anchor", "auth.py")
    code.write_text("two\n")
    saved.ok("edit", ID, "--anchor", "auth.py")

    assert verdicts(saved) == ["fresh"]


def test_reanchoring_without_anchors_says_how_to_get_one(saved: Cli) -> None:
    done = saved("edit", ID, "--reanchor")

    assert done.exit_code == 5
    assert "--anchor FILE" in done.err


def test_the_editor_changes_the_whole_record(saved: Cli) -> None:
    saved.env["EDITOR"] = editor(
        saved, """sed -i 's/"accepted"/"deprecated"/; /"confidence"/d' "$1" """
    )

    done = saved.ok("edit", ID, "--json", at_terminal=True)

    assert done.json()["action"] == "updated"
    assert saved.memory(ID)["content"]["status"] == "deprecated"
    assert saved.memory(ID)["changes"][-1]["summary"] == "Edited"


def test_the_editor_can_take_a_field_out(saved: Cli) -> None:
    saved.ok("edit", ID, "--file", "-", stdin='{"confidence": 0.5}')
    saved.env["VISUAL"] = editor(saved, """sed -i '/"confidence"/d' "$1" """)

    saved.ok("edit", ID, at_terminal=True)

    assert "confidence" not in saved.memory(ID)


def test_leaving_the_editor_without_a_change_changes_no_byte(saved: Cli) -> None:
    path = saved.root / "decisions" / f"{ID}.json"
    before = path.read_bytes()
    saved.env["EDITOR"] = "true"

    assert saved.ok("edit", ID, "--json", at_terminal=True).json()["action"] == "unchanged"
    assert path.read_bytes() == before


def test_a_mistake_in_the_editor_is_told_and_can_be_mended(saved: Cli) -> None:
    break_then_mend = """
        if grep -q accepted "$1"; then sed -i 's/"accepted"/"maybe"/' "$1"
        else sed -i 's/"maybe"/"rejected"/' "$1"; fi
    """
    with terminal(saved, "edit", ID, EDITOR=editor(saved, break_then_mend)) as screen:
        screen.wait_for("content.status: must be proposed")
        screen.answer("Open the editor again?", "y")
        assert screen.finish() == 0

    assert saved.memory(ID)["content"]["status"] == "rejected"


def test_what_was_typed_is_kept_when_the_editor_is_not_opened_again(saved: Cli) -> None:
    saved.env["EDITOR"] = editor(saved, """echo 'half a thought' > "$1" """)
    saved.env["TMPDIR"] = str(saved.folder.parent)

    done = saved("edit", ID, stdin="n\n", at_terminal=True)

    assert done.exit_code == 130
    assert "the edited record, line 1: not valid JSON" in done.err
    kept = Path(done.err.partition("your text was saved in ")[2].splitlines()[0])
    assert kept.read_text() == "half a thought\n"


def test_the_editor_cannot_make_another_memory_of_it(saved: Cli) -> None:
    saved.env["EDITOR"] = editor(saved, f"""sed -i 's/"id": "{ID}"/"id": "other"/' "$1" """)

    done = saved("edit", ID, stdin="n\n", at_terminal=True)

    assert done.exit_code == 130
    assert "id and category cannot change" in done.err


@pytest.mark.parametrize("command", ["false", "/no/such/editor", "'unbalanced"])
def test_an_editor_that_fails_is_named(saved: Cli, command: str) -> None:
    saved.env["EDITOR"] = command

    done = saved("edit", ID, at_terminal=True)

    assert done.exit_code == 5
    assert f"the editor {command!r} failed" in done.err


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
TYPE_AND = (
    f"""sed -i 's/"accepted"/"rejected"/; s/"auth"/"auth", "password: {TOKEN}"/' "$1";"""
    """ cp "$1" "$1~"; """
)


@requirement("cli:edit:typed-text")
@pytest.mark.parametrize("failure", ["exit 3", "kill -9 $$", 'echo { > "$1"', 'rm "$1"'])
def test_an_editor_that_fails_leaves_what_was_typed_without_its_secrets(
    saved: Cli, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    temporary = saved.folder.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = saved.memory(ID)
    saved.env["EDITOR"] = editor(saved, f"{TYPE_AND} echo '{TOKEN}' >> \"$1\"; {failure}")

    done = saved("edit", ID, stdin="n\n", at_terminal=True)

    assert done.exit_code != 0
    assert saved.memory(ID) == before
    files = [path for path in temporary.rglob("*") if path.is_file()]
    assert not any(TOKEN[:12] in path.read_text() for path in files)
    assert all(str(path) in done.err for path in files)
    if failure in ("exit 3", "kill -9 $$"):
        assert [path.name for path in files] == [f"{ID}.json"]
        assert '"rejected"' in files[0].read_text()
        assert files[0].parent.stat().st_mode & 0o077 == 0


@requirement("cli:edit:typed-text")
def test_what_was_typed_is_kept_when_the_memory_cannot_be_saved(
    saved: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = saved.folder.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    block = f"rm -rf '{saved.root}/.recollect'; touch '{saved.root}/.recollect'"
    saved.env["EDITOR"] = editor(saved, f"{TYPE_AND} {block}")

    done = saved("edit", ID, at_terminal=True)

    assert done.exit_code != 0
    (draft,) = [path for path in temporary.rglob("*") if path.is_file()]
    assert str(draft) in done.err
    assert '"rejected"' in draft.read_text()
    assert TOKEN[:12] not in draft.read_text()


@pytest.mark.parametrize("script", ["true", 'sed -i \'s/"accepted"/"rejected"/\' "$1"'])
def test_an_editor_that_succeeds_leaves_no_file(
    saved: Cli, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    temporary = saved.folder.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    saved.env["EDITOR"] = editor(saved, f'cp "$1" "$1~"; {script}')

    saved.ok("edit", ID, at_terminal=True)

    assert not list(temporary.iterdir())


def test_editing_a_memory_that_is_not_there_suggests_one_that_is(saved: Cli) -> None:
    done = saved("edit", "sign-a-jwt-at-logout", "-t", "x")

    assert done.exit_code == 3
    assert f"did you mean {ID}?" in done.err
