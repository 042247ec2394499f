"""`save`: from options, a file, standard input."""

import json
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.samples import CONTENT, draft

from recollect.records.categories import Category

TABS = (
    *("-c", "preference", "-t", "Tabs, not spaces", "--tag", "style", "--tag", "editor"),
    *("-s", "topic=style", "-s", "value=Indent with tabs.", "-s", "reason=Each sees their own width."),
    *("-s", "strength=strong"),
)
TOKEN = "ghp_" + "a1B2" * 9


def text(**changes: Any) -> str:
    return json.dumps(draft(**changes).document)


def test_a_memory_is_saved_from_options(cli: Cli) -> None:
    done = cli.ok("save", *TABS)

    memory = cli.memory("tabs-not-spaces")
    assert memory["tags"] == ["style", "editor"]
    assert memory["content"] == {
        "topic": "style",
        "value": "Indent with tabs.",
        "reason": "Each sees their own width.",
        "strength": "strong",
    }
    assert ".claude/memory/preferences/tabs-not-spaces.json" in done.out


@pytest.mark.parametrize("category", Category)
def test_every_category_can_be_saved(cli: Cli, category: Category) -> None:
    saved = cli.save("One of each", category=category)

    assert saved["path"] == f".claude/memory/{category.folder}/one-of-each.json"
    assert (cli.folder / saved["path"]).is_file()


def test_list_fields_are_given_by_repeating_and_tables_by_dots_or_json(cli: Cli) -> None:
    cli.ok(
        "save",
        *TABS,
        "-s",
        "examples.prefer=one",
        "-s",
        "examples.prefer=two",
        "-s",
        "examples.avoid=x",
    )
    cli.ok(
        *("save", "-c", "Decision", "-t", "Use a queue", "--tag", "jobs"),
        *("-s", "status=accepted", "-s", "context=Mail is slow.", "-s", "decision=A queue."),
        *("-s", "rationale=It waits.", "-s", "rationale=It retries."),
        *("-s", 'alternatives=[{"option": "cron", "rejected_reason": "too coarse"}]'),
    )

    examples = cli.memory("tabs-not-spaces")["content"]["examples"]
    content = cli.memory("use-a-queue")["content"]
    assert examples == {"prefer": ["one", "two"], "avoid": ["x"]}
    assert content["rationale"] == ["It waits.", "It retries."]
    assert content["alternatives"] == [{"option": "cron", "rejected_reason": "too coarse"}]


def test_a_memory_is_saved_from_a_file_and_options_go_before_it(cli: Cli) -> None:
    (cli.folder / "d.json").write_text(text())

    saved = cli.ok("save", "--file", "d.json", "-t", "Another title", "-s", "status=proposed", "--json")

    memory = cli.memory(saved.json()["id"])
    assert memory["title"] == "Another title"
    assert memory["content"] == dict(CONTENT[Category.DECISION]) | {"status": "proposed"}


@pytest.mark.parametrize("options", [["--file", "-"], []], ids=["named", "implied"])
def test_a_memory_is_saved_from_standard_input(cli: Cli, options: list[str]) -> None:
    done = cli.process("save", *options, "--json", stdin=text())

    assert done.exit_code == 0
    saved = done.json()
    assert set(saved) == {"id", "path", "action", "version"}
    assert saved["id"] == "sign-a-jwt-at-login"
    assert saved["path"] == ".claude/memory/decisions/sign-a-jwt-at-login.json"
    assert saved["action"] == "created"


def test_an_id_and_times_are_filled_in_and_optional_fields_are_kept(cli: Cli) -> None:
    cli.save(confidence=0.8, source={"kind": "agent", "session": "s1"}, x_team="payments")

    memory = cli.memory("sign-a-jwt-at-login")
    assert memory["created_at"] == memory["updated_at"]
    assert (memory["confidence"], memory["x_team"]) == (0.8, "payments")
    assert memory["source"] == {"kind": "agent", "session": "s1"}


def test_a_second_memory_of_one_title_gets_an_id_of_its_own(cli: Cli) -> None:
    cli.save()
    constraint = cli.save(category=Category.CONSTRAINT)

    assert constraint["id"] == "sign-a-jwt-at-login-2"


def test_a_near_duplicate_is_not_written_and_the_way_on_is_told(cli: Cli) -> None:
    first = cli.save()
    near = text(content={"rationale": ["No session store to run and repair."]})

    done = cli("save", "--file", "-", "--json", stdin=near)

    told = done.json()
    assert done.exit_code == 6
    assert (told["action"], told["id"], told["version"]) == ("duplicate", first["id"], first["version"])
    assert 0.6 <= told["similarity"] < 1
    assert told["exact"] is False
    for way in (f"--update {first['id']}", f"--supersedes {first['id']}", "--allow-duplicate"):
        assert way in told["advice"]
    assert cli.ok("list", "--json").json()["count"] == 1


def test_an_exact_duplicate_is_called_one(cli: Cli) -> None:
    cli.save()

    told = cli("save", "--file", "-", "--json", stdin=text()).json()
    said = cli("save", "--file", "-", stdin=text())

    assert (told["exact"], told["similarity"]) == (True, 1.0)
    assert said.exit_code == 6
    assert "Not saved: sign-a-jwt-at-login says this exactly" in said.out


def test_a_duplicate_is_kept_when_that_is_wanted(cli: Cli) -> None:
    cli.save()
    again = cli.save("Sign a JWT at login", "--allow-duplicate")

    assert (again["action"], again["id"]) == ("created", "sign-a-jwt-at-login-2")


def test_an_update_changes_the_fields_it_is_given_and_keeps_the_rest(cli: Cli) -> None:
    before = cli.save(related_files=["src/auth.py"], x_team="payments")
    old = cli.memory(before["id"])

    done = cli.ok(
        "save", "--update", before["id"], "-c", "decision", "-s", "status=deprecated", "--json"
    )

    new = cli.memory(before["id"])
    assert done.json()["action"] == "updated"
    assert done.json()["version"] != before["version"]
    assert new["content"] == old["content"] | {"status": "deprecated"}
    assert (new["related_files"], new["x_team"]) == (["src/auth.py"], "payments")
    assert (new["created_at"], new["times_updated"]) == (old["created_at"], 1)
    assert new["changes"][-1]["summary"] == "Changed content"


def test_an_update_that_says_nothing_new_changes_no_byte(cli: Cli) -> None:
    saved = cli.save()
    before = (cli.folder / saved["path"]).read_bytes()

    again = cli.ok("save", "--file", "-", "--update", saved["id"], "--json", stdin=text()).json()

    assert (again["action"], again["version"]) == ("unchanged", saved["version"])
    assert (cli.folder / saved["path"]).read_bytes() == before


def test_an_update_adds_links_anchors_and_files_to_those_that_are_there(cli: Cli) -> None:
    (cli.folder / "a.py").write_text("a\n")
    (cli.folder / "b.py").write_text("b\n")
    cli.save("An older way to sign in", content={"decision": "Passwords only."})
    cli.save("The oldest way of all", content={"decision": "No accounts, a shared machine."})
    cli.save("Sign a JWT at login", "--supersedes", "an-older-way-to-sign-in", "--anchor", "a.py")

    options = (
        "--supersedes",
        "the-oldest-way-of-all",
        "--anchor",
        "b.py",
        "--related-file",
        "src/*.py",
    )
    cli.ok("save", "--update", "sign-a-jwt-at-login", "-t", "Sign a token", *options)

    memory = cli.memory("sign-a-jwt-at-login")
    targets = [link["target"] for link in memory["links"]]
    assert targets == ["mem:an-older-way-to-sign-in", "mem:the-oldest-way-of-all"]
    assert [anchor["path"] for anchor in memory["anchors"]] == ["a.py", "b.py"]
    assert memory["related_files"] == ["src/*.py"]


def test_an_update_of_a_version_that_is_gone_is_a_conflict_naming_both(cli: Cli) -> None:
    first = cli.save()
    second = cli.ok("edit", first["id"], "-t", "Changed meanwhile", "--json").json()
    before = (cli.folder / first["path"]).read_bytes()

    done = cli(
        "save", "--update", first["id"], "--expect", first["version"], "-t", "Too late", "--json"
    )

    assert done.exit_code == 4
    assert done.json()["exit_code"] == 4
    assert first["version"][:12] in done.json()["error"]
    assert second["version"][:12] in done.json()["error"]
    assert (cli.folder / first["path"]).read_bytes() == before


def test_the_start_of_a_version_is_enough_to_expect_it(cli: Cli) -> None:
    first = cli.save()

    done = cli.ok(
        "save", "--update", first["id"], "--expect", first["version"][:12], "-t", "In time", "--json"
    )

    assert done.json()["action"] == "updated"


def test_a_version_is_expected_only_of_a_memory_that_is_named(cli: Cli) -> None:
    done = cli("save", *TABS, "--expect", "abc")

    assert done.exit_code == 5
    assert "--update" in done.err


def test_superseding_ends_the_validity_of_the_older_memory(cli: Cli) -> None:
    older = cli.save()
    newer = cli.save("Opaque sessions in Redis", "--supersedes", older["id"])

    assert newer["superseded"] == [older["id"]]
    assert cli.memory(older["id"])["valid_to"]
    assert cli.memory(newer["id"])["links"] == [{"type": "supersedes", "target": f"mem:{older['id']}"}]


def test_superseding_a_memory_that_is_not_there_saves_nothing(cli: Cli) -> None:
    done = cli("save", *TABS, "--supersedes", "no-such-memory")

    assert done.exit_code == 3
    assert cli.ok("list", "--json").json()["count"] == 0


def test_an_anchor_is_named_from_where_the_user_stands(cli: Cli) -> None:
    source = cli.folder / "src"
    source.mkdir()
    (source / "auth.py").write_text("one\ntwo\nthree\n")

    cli.ok("save", *TABS, "--anchor", "auth.py:2-3", "--anchor", "../src/auth.py", cwd=source)

    anchors = cli.memory("tabs-not-spaces")["anchors"]
    assert [(row["path"], row.get("lines")) for row in anchors] == [
        ("src/auth.py", "2-3"),
        ("src/auth.py", None),
    ]


@pytest.mark.parametrize(
    ("place", "code", "said"),
    [("gone.py", 3, "'gone.py'"), ("../out.py", 5, "outside the project"), ("a.py:9-12", 5, "1 lines")],
)
def test_an_anchor_that_cannot_be_made_is_refused(cli: Cli, place: str, code: int, said: str) -> None:
    (cli.folder / "a.py").write_text("only\n")
    (cli.folder.parent / "out.py").write_text("x\n")

    done = cli("save", *TABS, "--anchor", place)

    assert done.exit_code == code
    assert said in done.err


def test_a_user_memory_is_kept_beside_the_projects(cli: Cli) -> None:
    saved = cli.ok("save", *TABS, "--user", "--json").json()

    assert saved["path"].startswith(cli.env["HOME"])
    assert cli.ok("list", "--json").json()["count"] == 0
    assert cli.ok("list", "--user", "--json").json()["memories"][0]["id"] == "tabs-not-spaces"
    assert cli.memory("tabs-not-spaces")["title"] == "Tabs, not spaces"
    updated = cli.ok("save", "--update", "tabs-not-spaces", "-t", "Tabs", "--json").json()
    assert updated["path"] == saved["path"]


def test_a_secret_is_taken_out_and_reported_without_its_value(cli: Cli) -> None:
    record = text(content={"decision": f"Use {TOKEN} to sign."})

    done = cli.ok("save", "--file", "-", "--json", stdin=record)
    said = cli.ok("edit", done.json()["id"], "-s", f"context=The key is {TOKEN}")

    assert done.json()["redacted"] == [{"kind": "github token", "field": "content.decision"}]
    assert "a secret was removed from content.context (github token)" in said.out
    stored = b"".join(path.read_bytes() for path in cli.root.rglob("*") if path.is_file())
    assert TOKEN.encode() not in stored
    assert TOKEN not in done.out + done.err + said.out + said.err


def test_a_sixth_session_summary_retires_the_oldest_and_says_so(cli: Cli) -> None:
    subjects = ("parser", "mailer", "router", "cache", "billing")
    for day, subject in enumerate(subjects, start=1):
        cli.put(
            Category.SESSION_SUMMARY,
            id=subject,
            title=f"The {subject}",
            updated_at=f"2026-01-0{day}T10:00:00Z",
            content=dict(CONTENT[Category.SESSION_SUMMARY]) | {"goal": f"Move the {subject}."},
        )

    saved = cli.save("The search", category=Category.SESSION_SUMMARY, content={"goal": "Find things."})

    assert saved["retired"] == ["parser"]
    assert cli.memory("parser")["record_status"] == "retired"
