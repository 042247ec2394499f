"""`forget`: at once and for good, with nothing of it left in our files."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.cli.terminal import terminal
from tests.requirements import requirement
from tests.storage.models.shared import tiny_model

from recollect.app.opening import hook_command
from recollect.cli.exits import Exit
from recollect.views.forgetting import ForgetOutput

ODD = "Zwickmuehle"
ID = "the-invoice-queue-runs-on-zwickmuehle"


def mentions(cli: Cli, *words: str) -> list[str]:
    """Our files, in the project and in the user's home, that have one of these words in any case."""
    files = [path for top in (cli.folder, Path(cli.env["HOME"])) for path in top.rglob("*")]
    texts = {path: path.read_bytes().lower() for path in files if path.is_file()}
    return sorted(
        path.name for path, text in texts.items() if any(word.encode() in text for word in words)
    )


def give(cli: Cli, prompt: str) -> None:
    """Send a prompt through the hook, as a harness does, so that the memory is injected and recorded."""
    event = "UserPromptSubmit"
    payload = {"session_id": "s1", "prompt": prompt, "cwd": str(cli.folder), "hook_event_name": event}
    command = hook_command("claude-code", event)
    data = json.dumps(payload).encode()
    subprocess.run(command, cwd=cli.folder, env=cli.env, input=data, check=True, capture_output=True)


@requirement("cli:forget:nothing-left")
def test_nothing_of_a_forgotten_memory_is_left_in_a_file_of_ours(cli: Cli) -> None:
    folder = tiny_model(cli.folder.parent / "tiny", width=8)
    cli.ok("model", "install", "tiny", "--from", str(folder))
    cli.ok("model", "use", "tiny")
    cli.save(f"The invoice queue runs on {ODD}", content={"context": f"Nobody knows {ODD} better."})
    cli.save("Sign a JWT at login")
    cli.ok("index")
    cli.ok("search", ODD)
    give(cli, "Which broker does the invoice queue run on?")
    assert {"index.db", "state.db"} <= set(mentions(cli, "zwickmuehl"))

    done = cli.ok("forget", ID, "--yes")

    assert f"Forgot {ID}" in done.out
    assert mentions(cli, "zwickmuehl") == []
    assert cli.ok("search", "JWT", "--json").json()["count"] == 1
    assert cli.ok("doctor").exit_code == 0


@requirement("cli:forget:links")
def test_links_of_others_are_shown_first_and_removed(cli: Cli) -> None:
    cli.save("Sign a JWT at login")
    cli.save(
        "Opaque sessions", "--supersedes", "sign-a-jwt-at-login", content={"decision": "Use sessions."}
    )
    cli.save("Rotate keys", content={"decision": "Rotate the keys each month."})
    cli.ok("link", "rotate-keys", "derived_from", "opaque-sessions")

    done = cli.ok("forget", "opaque-sessions", "--yes", "--json").json()

    assert done["linked_from"] == [{"id": "rotate-keys", "type": "derived_from"}]
    assert done["ended"] == ["sign-a-jwt-at-login"]
    assert mismatches(done, ForgetOutput) == []
    assert "links" not in cli.memory("rotate-keys")
    assert "valid_to" in cli.memory("sign-a-jwt-at-login")
    assert "dangling" not in cli("doctor").out


@requirement("cli:forget:asks")
def test_without_a_terminal_and_without_yes_nothing_is_deleted(cli: Cli) -> None:
    cli.save("Sign a JWT at login")

    text, shown = cli("forget", "sign-a-jwt-at-login"), cli("forget", "sign-a-jwt-at-login", "--json")

    assert text.exit_code == shown.exit_code == Exit.UNDECIDED
    assert shown.json()["forgotten"] is False
    assert cli.memory("sign-a-jwt-at-login")


@requirement("cli:forget:asks")
@pytest.mark.parametrize(("answer", "code"), [("n", Exit.INTERRUPTED), ("y", Exit.OK)])
def test_a_person_is_asked_on_a_terminal(cli: Cli, answer: str, code: Exit) -> None:
    cli.save("Sign a JWT at login")
    with terminal(cli, "forget", "sign-a-jwt-at-login") as screen:
        screen.answer("Delete it for good?", answer)
        assert screen.finish() == code

    assert cli("show", "sign-a-jwt-at-login").exit_code == (Exit.OK if code else Exit.NOT_FOUND)


def test_it_says_that_git_keeps_earlier_versions(repository: Cli) -> None:
    repository.save("Sign a JWT at login")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "Decide")

    done = repository.ok("forget", "sign-a-jwt-at-login", "--yes")

    assert "1 commit has earlier versions of its file in git" in done.out
    assert "still in git" in done.out


def test_the_users_own_memory_is_forgotten_outside_of_any_project(bare: Cli) -> None:
    bare.ok("remember", "--user", "--yes", f"Please call it {ODD} in German")

    bare.ok("forget", "--user", "--yes", "call-it-zwickmuehle-in-german")

    assert mentions(bare, "zwickmuehl") == []
    unknown = bare("forget", "--user", "--yes", "call-it-zwickmuehle-in-german")
    assert unknown.exit_code == Exit.NOT_FOUND
