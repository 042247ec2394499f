"""The entry: help, exit codes, errors, pipes, interruptions, completion."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.requirements import requirement
from tests.samples import draft

from recollect import __version__
from recollect.cli.command import commands as listed_commands
from recollect.cli.exits import MEANINGS, Exit, exit_of
from recollect.cli.main import app
from recollect.errors import RecollectError

# These answer over MCP, not on a terminal.
SPEAK_MCP = {"serve", "gateway record", "gateway replay"}


def commands() -> dict[str, object]:
    """Every command that help lists, groups opened: `bench store`, `gateway secret set`."""
    return dict(listed_commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", commands())
@requirement("cli:help:every-command")
def test_every_command_has_help_with_examples_and_a_json_option(bare: Cli, name: str) -> None:
    done = bare.ok(*name.split(), "--help")

    assert f"Usage: recollect {name}" in done.out
    assert f"Examples:\n    recollect {name}" in done.out
    assert "--json" in done.out or name in SPEAK_MCP  # which speaks MCP, and nothing else
    assert "-h, --help" in done.out


def test_the_help_lists_the_commands_and_what_each_exit_code_means(bare: Cli) -> None:
    done = bare.process("--help")

    assert done.exit_code == 0
    words = set(re.findall(r"[\w-]+", done.out))
    assert {name.split()[0] for name in commands()} <= words
    assert "merge-driver" not in words
    codes = bare.ok("help", "exit-codes").out
    for code, meaning in MEANINGS.items():
        assert f"{code.value:>3}  {meaning}\n" in codes


def test_help_is_given_when_nothing_is_asked(bare: Cli) -> None:
    done = bare()

    assert done.exit_code == 2
    assert "Commands:" in done.out + done.err


def test_the_version_is_told(bare: Cli) -> None:
    assert bare.ok("--version").out == f"recollect {__version__}\n"


@requirement("cli:exit:meanings")
def test_every_exit_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Exit)


def test_every_error_has_an_exit_code_of_its_own_kind() -> None:
    """An error that no row of the table knows would look like a bug of ours."""

    def kinds(kind: type[RecollectError]) -> set[type[RecollectError]]:
        below = kind.__subclasses__()
        return set(below).union(*(kinds(each) for each in below))

    for kind in kinds(RecollectError):
        assert exit_of(kind.__new__(kind)) is not Exit.FAILED, kind


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "nobody"), 3),
        (("show",), 2),
        (("shwo", "x"), 2),
        (("list", "--limit", "few"), 2),
        (("list", "--nonsense"), 2),
        (("save", "-c", "wish"), 5),
        (("save", "--file", "gone.json"), 3),
        (("retire", "../x", "-r", "y"), 5),
    ],
)
def test_a_failure_as_json_names_the_error_and_the_exit_code(
    cli: Cli, arguments: tuple[str, ...], code: int
) -> None:
    done = cli(*arguments, "--json")

    assert done.exit_code == code
    assert set(done.json()) == {"error", "exit_code"}
    assert done.json()["exit_code"] == code
    assert done.json()["error"] in done.err


def test_a_mistyped_command_is_answered_with_the_right_one(cli: Cli) -> None:
    done = cli("lst")

    assert done.exit_code == 2
    assert "Did you mean 'list'?" in done.err


@pytest.mark.parametrize("command", ["list", "doctor", "index", "backup", "gc", "config", "uninstall"])
def test_without_a_memory_root_every_command_says_how_to_make_one(bare: Cli, command: str) -> None:
    done = bare(command)

    assert done.exit_code == 3
    assert (
        f"no memory root in '{bare.folder}' or above it; `recollect init` creates one here" in done.err
    )
    assert list(bare.folder.iterdir()) == []


def test_a_disk_that_says_no_gives_exit_code_7(cli: Cli) -> None:
    (cli.root / "decisions").write_text("a file where a folder should be")

    done = cli("save", "--file", "-", "--json", stdin=decision())

    assert done.exit_code == 7
    assert "'.claude/memory/decisions' is a file where a folder should be" in done.json()["error"]


def decision() -> str:
    return json.dumps(draft().document)


def test_a_root_that_somebody_else_writes_to_gives_exit_code_7(cli: Cli) -> None:
    import fcntl

    cli.env["RECOLLECT_LOCK_WAIT_SECONDS"] = "0"
    with (cli.root / ".recollect" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = cli("save", stdin=decision())

    assert done.exit_code == 7
    assert "another process has been writing" in done.err


def test_a_bug_of_ours_is_one_line_and_the_traceback_is_there_for_the_asking(cli: Cli) -> None:
    broken = (
        "import recollect.app.opening, recollect.cli.main\n"
        "recollect.app.opening.open_project = lambda *_, **options: 1 / 0\n"
        "recollect.cli.main.main()"
    )

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", broken, "list"]
        return subprocess.run(
            command, cwd=cli.folder, env=cli.env, capture_output=True, text=True, check=False
        )

    told = run()
    assert told.returncode == 1
    assert (
        told.stderr
        == "recollect: unexpected ZeroDivisionError: division by zero; RECOLLECT_DEBUG=1 shows where.\n"
    )
    cli.env["RECOLLECT_DEBUG"] = "1"
    assert "Traceback" in run().stderr


def test_an_error_shows_no_control_character_of_a_file_name(cli: Cli) -> None:
    name = "x\x1b[31m.json"
    (cli.folder / name).write_text("{")

    done = cli("save", "--file", name)

    assert done.exit_code == 5
    assert "\x1b" not in done.err


@pytest.mark.parametrize("options", [("list",), ("list", "--json")])
def test_a_reader_that_leaves_early_is_no_error(cli: Cli, options: tuple[str, ...]) -> None:
    for number in range(600):  # more than a pipe holds
        cli.put(id=f"memory-{number}", title="x" * 120)
    writer = subprocess.Popen(
        [sys.executable, "-m", "recollect", *options, "--limit", "0"],
        cwd=cli.folder,
        env=cli.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.readline()
    writer.stdout.close()

    said = writer.stderr.read()
    writer.stderr.close()
    assert (writer.wait(20), said) == (0, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["list", "search x --json", "show x --json", "--help"])
def test_an_output_that_takes_nothing_is_one_line_and_no_traceback(
    cli: Cli, command: str, unbuffered: str
) -> None:
    env = cli.env | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *command.split()],
            cwd=cli.folder, env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip

    found = "show" not in command
    assert done.returncode == (Exit.STORE if found else Exit.NOT_FOUND)
    said = "cannot write to standard output: No space left" if found else "there is no memory 'x'"
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_closed_output_is_one_line_and_no_traceback(cli: Cli) -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m recollect search x --json >&-"],
        cwd=cli.folder, env=cli.env, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == Exit.STORE
    assert done.stderr.startswith("recollect: cannot write to standard output: it is closed")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_at_a_question_gives_exit_code_130_and_changes_nothing(cli: Cli) -> None:
    with terminal(cli, "uninstall") as screen:
        screen.wait_for("[y/N]")
        assert screen.finish("\x03") == 130

    assert "Traceback" not in screen.shown
    assert (cli.root / ".recollect").is_dir()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_completion_script(bare: Cli, shell: str) -> None:
    bare.env["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"

    done = bare.process("--show-completion", shell)

    assert done.exit_code == 0
    assert "_RECOLLECT_COMPLETE" in done.out


def test_completion_offers_commands_and_options(bare: Cli) -> None:
    script = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'recollect'; from recollect.cli.main import main; main()",
    ]
    ask = {"_RECOLLECT_COMPLETE": "complete_bash", "COMP_CWORD": "1", "COMP_WORDS": "recollect un"}

    found = subprocess.run(script, env=bare.env | ask, capture_output=True, text=True, check=False)

    assert found.stdout.split() == ["uninstall", "unpin", "unlink"]


def test_a_terminal_that_lacks_characters_gets_substitutes(cli: Cli) -> None:
    cli.save("日本語 and more")
    cli.env["PYTHONIOENCODING"] = "ascii"

    done = cli.process("show", "and-more")

    assert done.exit_code == 0
    assert "??? and more" in done.out


def test_a_disk_that_refuses_is_exit_7_and_no_unexpected_error(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only mount, whichever call of a command meets it first."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "settings.json")

    cli.ok("init", "--harness", "claude-code", "--yes")
    monkeypatch.setattr("recollect.app.connections.Connections.apply", refuse)

    done = cli("uninstall", "--yes")

    assert done.exit_code == 7
    assert "'settings.json' cannot be changed: Read-only file system." in done.err
