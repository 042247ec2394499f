"""The interactive form, on a real terminal."""

import json

from tests.cli.running import Cli
from tests.cli.terminal import Terminal, terminal
from tests.samples import CONTENT, draft

from recollect.records.categories import Category

SIGN = CONTENT[Category.DECISION]


def fill_in(screen: Terminal) -> None:
    """Answer every question of a decision with what `draft()` says."""
    screen.answer("What is it?", "decision")
    screen.answer("Title", "Sign a JWT at login")
    screen.answer("Tags", "auth")
    screen.answer("status", str(SIGN["status"]))
    screen.answer("context", str(SIGN["context"]))
    screen.answer("decision (", str(SIGN["decision"]))
    screen.answer("  - ", "No session store to run.")
    screen.answer("  - ", "")
    screen.answer("consequences", "")


def test_the_form_asks_for_every_field_and_saves_what_was_answered(cli: Cli) -> None:
    with terminal(cli, "save") as screen:
        fill_in(screen)
        assert screen.finish() == 0

    memory = cli.memory("sign-a-jwt-at-login")
    assert (memory["category"], memory["title"], memory["tags"]) == (
        "decision",
        "Sign a JWT at login",
        ["auth"],
    )
    assert memory["content"] == SIGN
    assert "Saved sign-a-jwt-at-login" in screen.shown


def test_the_form_asks_again_for_what_is_missing_or_wrong(cli: Cli) -> None:
    with terminal(cli, "save") as screen:
        screen.answer("What is it?", "9")
        screen.answer("What is it?", "3")
        screen.answer("Title", "x" * 121)
        screen.wait_for("121 characters; the maximum is 120.")
        screen.answer("Title", "")
        screen.wait_for("This field is required.")
        screen.answer("Title", "Tabs, not spaces")
        screen.answer("Tags", " , ")
        screen.wait_for("At least one tag is required.")
        screen.answer("Tags", "style, editor ,")
        screen.answer("topic", "style")
        screen.answer("value", "Indent with tabs.")
        screen.answer("reason", "Each sees their own width.")
        screen.answer("strength", "very")
        screen.answer("strength", "soft")
        assert screen.finish() == 0

    memory = cli.memory("tabs-not-spaces")
    assert memory["tags"] == ["style", "editor"]
    assert memory["content"]["strength"] == "soft"


def test_the_form_wants_as_many_lines_as_the_field_does(cli: Cli) -> None:
    with terminal(cli, "save", "--tag", "upload") as screen:
        screen.answer("What is it?", "2")
        screen.answer("Title", "Uploads are small")
        screen.answer("kind", "technical")
        screen.answer("rule", "Not above 5 MB.")
        screen.wait_for("impact")
        screen.answer("  - ", "")
        screen.wait_for("At least 1 is required.")
        screen.answer("  - ", "Reports are split.")
        screen.answer("  - ", "")
        screen.answer("severity", "high")
        screen.answer("active", "y")
        screen.answer("  - ", "")
        screen.answer("expires", "")
        assert screen.finish() == 0

    memory = cli.memory("uploads-are-small")
    assert memory["tags"] == ["upload"]
    assert memory["content"] == {
        "kind": "technical",
        "rule": "Not above 5 MB.",
        "impact": ["Reports are split."],
        "severity": "high",
        "active": True,
    }


def test_the_form_offers_a_duplicate_as_an_update(cli: Cli) -> None:
    cli.save(content={"status": "proposed"})

    with terminal(cli, "save") as screen:
        fill_in(screen)
        screen.wait_for("sign-a-jwt-at-login says this exactly")
        screen.answer("Update that memory, save a new one as well, or cancel?", "update")
        assert screen.finish() == 0

    assert cli.memory("sign-a-jwt-at-login")["content"]["status"] == "accepted"
    assert cli.ok("list", "--json").json()["count"] == 1


def test_the_form_keeps_a_duplicate_or_drops_it_as_the_user_says(cli: Cli) -> None:
    cli.save()
    for answer, code, count in (("cancel", 130, 1), ("new", 0, 2)):
        with terminal(cli, "save") as screen:
            fill_in(screen)
            screen.answer("or cancel?", answer)
            assert screen.finish() == code
        assert cli.ok("list", "--json").json()["count"] == count


def test_leaving_the_form_saves_nothing(cli: Cli) -> None:
    for keys, said in (("\x03", "interrupted"), ("\x04", "cancelled")):
        with terminal(cli, "save") as screen:
            screen.answer("What is it?", "1")
            screen.wait_for("Title")
            assert screen.finish(keys) == 130
        assert screen.shown.endswith(f"\nrecollect: {said}\n")
    assert cli.ok("list", "--json").json()["count"] == 0


def test_a_record_that_is_piped_in_is_not_asked_for(cli: Cli) -> None:
    done = cli.process("save", stdin=json.dumps(draft().document))

    assert done.exit_code == 0
    assert "What is it?" not in done.out + done.err
