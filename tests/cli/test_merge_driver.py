"""The merge driver, run by git itself."""

import json
import sys
from pathlib import Path

import pytest
from tests.cli.running import Cli, Run
from tests.requirements import requirement

from recollect.app.merge_driver import MergeResult, merge_files

ID = "sign-a-jwt-at-login"


@pytest.fixture
def branched(repository: Cli) -> Cli:
    """A checkout with one committed memory, on a branch of its own."""
    repository.save(tags=["auth"])
    commit(repository, "Save a memory")
    repository.git("checkout", "-q", "-b", "theirs")
    return repository


def commit(cli: Cli, message: str) -> None:
    cli.git("add", "-A")
    cli.git("commit", "-q", "-m", message)


def merged(cli: Cli) -> Run:
    """Merge the branch `theirs` into `main`."""
    return cli.git("merge", "-q", "--no-edit", "theirs", check=False)


def to_main(cli: Cli, *ours: str) -> None:
    """Commit on `theirs`, go to `main`, and make our own change there."""
    commit(cli, "Theirs")
    cli.git("checkout", "-q", "main")
    cli.ok(*ours)
    commit(cli, "Ours")


@requirement("cli:merge:different-fields")
def test_changes_of_different_fields_merge_cleanly(branched: Cli) -> None:
    branched.ok("edit", ID, "-s", "context=Partners call us too.", "--add-tag", "partners")
    to_main(branched, "edit", ID, "-t", "Sign a token at login", "--add-tag", "tokens")

    done = merged(branched)

    assert done.exit_code == 0, done
    memory = branched.memory(ID)
    assert memory["title"] == "Sign a token at login"
    assert memory["content"]["context"] == "Partners call us too."
    assert memory["tags"] == ["auth", "tokens", "partners"]
    assert memory["times_updated"] == 2
    assert {change["summary"] for change in memory["changes"]} == {
        "Changed title, tags",
        "Changed context, tags",
    }
    assert branched.ok("doctor", "--fix", "--json").json()["healthy"]


def test_changes_of_one_field_conflict_round_that_field_only(branched: Cli) -> None:
    branched.ok("edit", ID, "-s", "decision=Keep sessions.", "-s", "context=Theirs.")
    to_main(branched, "edit", ID, "-s", "decision=Use passkeys.")

    done = merged(branched)

    path = branched.root / "decisions" / f"{ID}.json"
    text = path.read_text()
    assert done.exit_code != 0
    conflict = (
        "<<<<<<< ours\n"
        '    "decision": "Use passkeys.",\n'
        "=======\n"
        '    "decision": "Keep sessions.",\n'
        ">>>>>>> theirs\n"
    )
    assert conflict in text
    assert text.count("<<<<<<<") == 1
    found = branched("doctor", "--json").json()["findings"][0]
    assert (found["check"], found["line"]) == (
        "unreadable",
        text[: text.index("<<<<<<<")].count("\n") + 1,
    )
    assert "unresolved merge conflict" in found["message"]

    ours = text.replace(conflict, '    "decision": "Use passkeys.",\n')
    path.write_text(ours)
    assert branched.memory(ID)["content"]["context"] == "Theirs."
    assert json.loads(ours)["content"]["decision"] == "Use passkeys."


def test_the_index_takes_both_sides_and_is_written_anew(branched: Cli) -> None:
    branched.save("Mail goes through a queue", content={"decision": "Queue it."})
    to_main(branched, "save", "-c", "preference", "-t", "Tabs", "--tag", "style", *TABS)

    done = merged(branched)
    index = branched.root / "index.md"

    assert done.exit_code == 0, done
    assert "<<<<<<<" not in index.read_text()
    branched.ok("index")
    lines = [line for line in index.read_text().splitlines() if line.startswith("- ")]
    assert [line.split(" -> ")[0] for line in lines] == [
        "- [DECISION] Mail goes through a queue",
        "- [DECISION] Sign a JWT at login",
        "- [PREFERENCE] Tabs",
    ]


TABS = ("-s", "topic=style", "-s", "value=Tabs.", "-s", "reason=Width.", "-s", "strength=soft")


def test_a_retired_memory_stays_retired_when_the_other_side_only_tags_it(branched: Cli) -> None:
    branched.ok("retire", ID, "-r", "Sessions won")
    to_main(branched, "edit", ID, "--add-tag", "jwt")

    assert merged(branched).exit_code == 0
    memory = branched.memory(ID)
    assert (memory["record_status"], memory["tags"]) == ("retired", ["auth", "jwt"])


def test_versions_that_are_no_json_are_merged_line_by_line(branched: Cli) -> None:
    path = branched.root / "decisions" / f"{ID}.json"
    path.write_text("not json\n" + path.read_text())
    to_main(branched, "edit", ID, "--add-tag", "jwt")

    assert merged(branched).exit_code == 0
    assert path.read_text().startswith("not json\n")
    assert '"jwt"' in path.read_text()


BROKEN = {
    "gone": None,
    "no package": "#!/bin/sh\nexit 1\n",
    "usage": "#!/bin/sh\nexit 2\n",
    "killed": "#!/bin/sh\nkill -9 $$\n",
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN.keys())
@requirement("cli:merge:driver-cannot-run")
def test_a_driver_that_cannot_run_leaves_both_sides_between_markers(
    branched: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None
) -> None:
    interpreter = tmp_path / "a folder" / "python"
    interpreter.parent.mkdir()
    if script:
        interpreter.write_text(script)
        interpreter.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(interpreter))
        branched.ok("init", "--no-harness")
    branched.ok("edit", ID, "-s", "context=Theirs.")
    to_main(branched, "edit", ID, "-s", "decision=Ours.")

    done = merged(branched)

    text = (branched.root / "decisions" / f"{ID}.json").read_text()
    assert done.exit_code != 0
    assert "merged by lines" in done.err
    assert "<<<<<<< ours" in text
    assert '"context": "Theirs."' in text
    assert '"decision": "Ours."' in text


@requirement("cli:merge:driver-cannot-run")
def test_a_driver_that_cannot_run_still_merges_distant_lines(
    branched: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/gone/python")
        branched.ok("init", "--no-harness")
    path = branched.root / "decisions" / f"{ID}.json"
    path.write_text(path.read_text() + "\n\n")
    commit(branched, "Theirs")
    branched.git("checkout", "-q", "main")
    path.write_text("\n\n" + path.read_text())
    commit(branched, "Ours")

    assert merged(branched).exit_code == 0
    assert path.read_text().startswith("\n\n{")
    assert path.read_text().endswith("}\n\n\n")


@pytest.mark.parametrize("empty", ["", "\n", "{}\n"])
@pytest.mark.parametrize("emptied", ["theirs", "ours"])
@requirement("cli:merge:empty-side")
def test_a_side_without_content_is_a_conflict_and_loses_nothing(
    branched: Cli, empty: str, emptied: str
) -> None:
    path = branched.root / "decisions" / f"{ID}.json"
    edit = ("edit", ID, "-s", "decision=Use passkeys.")
    if emptied == "theirs":
        path.write_text(empty)
        to_main(branched, *edit)
    else:
        branched.ok(*edit)
        commit(branched, "Theirs")
        branched.git("checkout", "-q", "main")
        path.write_text(empty)
        commit(branched, "Ours")

    done = merged(branched)

    assert done.exit_code != 0
    text = path.read_text()
    assert text.startswith("<<<<<<< ours\n")
    assert text.endswith(">>>>>>> theirs\n")
    assert '"decision": "Use passkeys."' in text
    assert '"title": "Sign a JWT at login"' in text


def test_a_side_without_content_is_a_conflict_also_when_the_other_did_not_change(
    tmp_path: Path,
) -> None:
    """Git settles this alone; a rename or another tool may still ask the driver."""
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_text('{"title": "Tabs"}\n')
    ours.write_text('{"title": "Tabs"}\n')
    theirs.write_text("")

    assert not merge_files(base, ours, theirs, "x.json").clean
    assert '"title": "Tabs"' in ours.read_text()


def test_a_memory_that_both_sides_added_is_merged_field_by_field(tmp_path: Path) -> None:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_text("")
    ours.write_text('{"title": "Tabs", "tags": ["style"]}\n')
    theirs.write_text('{"title": "Tabs", "tags": ["format"]}\n')

    assert merge_files(base, ours, theirs, "x.json") == MergeResult(clean=True)
    assert json.loads(ours.read_text()) == {"title": "Tabs", "tags": ["style", "format"]}


@requirement("cli:merge:mutual-supersession")
def test_two_branches_that_supersede_each_other_are_reported_and_can_be_settled(branched: Cli) -> None:
    branched.git("checkout", "-q", "main")
    branched.save("Keep sessions", id="keep-sessions", content={"decision": "Sessions in Redis."})
    commit(branched, "Save another")
    branched.git("checkout", "-q", "-B", "theirs")
    branched.ok("link", "keep-sessions", "supersedes", ID)
    to_main(branched, "link", ID, "supersedes", "keep-sessions")

    done = merged(branched)
    report = branched("doctor", "--json")

    assert done.exit_code == 0, done
    assert "'keep-sessions' supersede each other; `recollect doctor`" in done.err
    found = report.json()["findings"][0]
    assert (report.exit_code, found["check"]) == (8, "supersession-cycle")
    assert f"recollect unlink keep-sessions supersedes mem:{ID}" in found["advice"]

    branched.ok("unlink", "keep-sessions", "supersedes", f"mem:{ID}")
    assert branched.memory(ID).get("valid_to") is None
    assert branched.memory("keep-sessions")["valid_to"]
    assert "supersession-cycle" not in branched("doctor", "--json").out
