"""`remember`: one sentence, shown, corrected and saved."""

from pathlib import Path

from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.cli.terminal import terminal
from tests.requirements import requirement

from recollect.cli.exits import Exit
from recollect.views.remembering import RememberOutput

TUESDAYS = "We deploy on Tuesdays only, because support is thin on Fridays"
ID = "we-deploy-on-tuesdays-only"
TOKEN = "ghp_" + "a1B2" * 9


@requirement("cli:remember:sentence")
def test_a_sentence_is_saved_as_derived_with_yes(cli: Cli) -> None:
    done = cli.ok("remember", "--yes", TUESDAYS)

    memory = cli.memory(ID)
    assert memory["category"] == "constraint"
    assert memory["content"]["rule"] == TUESDAYS
    assert "CONSTRAINT We deploy on Tuesdays only" in done.out
    assert "impact: Not stated." in done.out
    assert f"Saved {ID}" in done.out


@requirement("cli:remember:asks")
def test_without_a_terminal_and_without_yes_it_is_shown_and_not_saved(cli: Cli) -> None:
    text = cli("remember", TUESDAYS)
    shown = cli("remember", TUESDAYS, "--json")

    assert text.exit_code == shown.exit_code == Exit.UNDECIDED
    assert "`--yes` saves it" in text.out
    assert shown.json()["action"] == "derived"
    assert shown.json()["signals"] == ["only"]
    assert mismatches(shown.json(), RememberOutput) == []
    assert cli("show", ID).exit_code == Exit.NOT_FOUND


def test_words_need_no_quotes_and_options_correct_what_is_derived(cli: Cli) -> None:
    done = cli.ok(
        *("remember", "Use", "tabs", "--yes", "--json", "-c", "constraint", "-t", "Tabs"),
        *("--tag", "style", "-s", "severity=low"),
    )

    memory = done.json()["memory"]
    assert (memory["category"], memory["title"], memory["tags"]) == ("constraint", "Tabs", ["style"])
    assert memory["content"]["severity"] == "low"
    assert mismatches(done.json(), RememberOutput) == []


@requirement("cli:remember:similar")
def test_a_sentence_that_is_known_already_names_the_memory(cli: Cli) -> None:
    cli.ok("remember", "--yes", TUESDAYS)

    again = cli("remember", "--yes", "--json", TUESDAYS + ".")

    assert again.exit_code == Exit.DUPLICATE
    assert (again.json()["action"], again.json()["id"]) == ("duplicate", ID)
    assert mismatches(again.json(), RememberOutput) == []


@requirement("cli:remember:similar")
def test_a_sentence_that_may_say_the_opposite_is_replaced_updated_or_allowed_on_request(
    cli: Cli,
) -> None:
    cli.ok("remember", "--yes", TUESDAYS)
    refused = cli("remember", "--yes", "We deploy on Wednesdays only")
    as_json = cli("remember", "--yes", "--json", "We deploy on Wednesdays only")

    assert refused.exit_code == Exit.DUPLICATE
    assert "may say the opposite ('wednesdays' instead of 'tuesdays')" in refused.out
    assert f"--supersedes {ID}" in refused.out
    assert as_json.json()["action"] == "contradiction"
    assert mismatches(as_json.json(), RememberOutput) == []

    replaced = cli.ok("remember", "-y", "--json", "We deploy on Wednesdays only", "--supersedes", ID)
    assert replaced.json()["superseded"] == [ID]
    both = cli.ok("remember", "-y", "--json", "We deploy on Thursdays only", "--allow-duplicate")
    assert both.json()["action"] == "created"


def test_an_update_keeps_what_the_sentence_does_not_answer(cli: Cli) -> None:
    cli.ok("remember", "--yes", "Use tabs, because each sees their own width.")

    cli.ok("remember", "--yes", "--update", "use-tabs", "Always use tabs")

    memory = cli.memory("use-tabs")
    assert memory["title"] == "Always use tabs"
    assert memory["content"]["reason"] == "each sees their own width"
    assert memory["content"]["strength"] == "strong"


@requirement("cli:remember:user")
def test_the_users_own_sentences_need_no_project(bare: Cli, tmp_path: Path) -> None:
    done = bare.ok("remember", "--yes", "--user", "--json", "Please answer in German")

    assert done.json()["path"].startswith(str(tmp_path / "home"))
    again = bare("remember", "--yes", "--user", "Please answer in German.")
    assert again.exit_code == Exit.DUPLICATE
    assert bare("remember", "--yes", "Please answer in German").exit_code == Exit.NOT_FOUND


@requirement("cli:remember:no-secret")
def test_a_secret_in_a_sentence_is_nowhere(cli: Cli) -> None:
    done = cli.ok("remember", "--yes", f"The deploy key is {TOKEN} and must not be rotated.")

    assert "a secret was removed" in done.out
    files = [path for path in cli.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if TOKEN.lower().encode() in path.read_bytes().lower()]
    assert TOKEN not in done.out


@requirement("cli:remember:asks")
def test_a_person_corrects_fields_on_a_terminal_and_replaces_the_opposite(cli: Cli) -> None:
    cli.ok("remember", "--yes", "Indent with tabs")
    with terminal(cli, "remember", "Indent with spaces") as screen:
        screen.answer("Save it?", "e")
        screen.answer("category", "")
        screen.answer("title", "Indent with two spaces")
        screen.answer("tags", "style, indentation")
        screen.answer("topic", "")
        screen.answer("value", "")
        screen.answer("reason", "Diffs look the same everywhere.")
        screen.answer("strength", "strong")
        screen.answer("Save it?", "y")
        screen.answer("replace it with the new one", "replace")
        assert screen.finish() == 0

    memory = cli.memory("indent-with-two-spaces")
    assert memory["tags"] == ["style", "indentation"]
    assert memory["content"]["reason"] == "Diffs look the same everywhere."
    assert memory["content"]["strength"] == "strong"
    assert memory["links"] == [{"type": "supersedes", "target": "mem:indent-with-tabs"}]


def test_answering_no_saves_nothing(cli: Cli) -> None:
    with terminal(cli, "remember", "Indent with spaces") as screen:
        screen.answer("Save it?", "n")
        assert screen.finish() == Exit.INTERRUPTED

    assert cli("show", "indent-with-spaces").exit_code == Exit.NOT_FOUND
