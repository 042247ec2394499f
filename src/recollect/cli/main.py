"""The command line's entry: commands, global options, and errors turned into exit codes."""

import errno
import io
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.main import get_command

from recollect import __version__
from recollect.cli import (
    edit,
    forget,
    graph,
    impact,
    import_export,
    lifecycle,
    links,
    maintenance,
    models,
    pin,
    read,
    redact,
    remember,
    replay,
    review,
    rules,
    search,
    serve,
    session,
    settings,
    setup,
    team_exchange,
    thresholds,
    topics,
    web,
    why,
    write,
)
from recollect.cli.context import Start
from recollect.cli.exits import ErrorOutput, Exit, exit_of
from recollect.cli.lazy_group import lazy_group
from recollect.cli.output import detail, print_json, verbosity
from recollect.cli.progress import interruption
from recollect.cli.topics import TopicGroup
from recollect.errors import InvalidMemoryError, RecollectError, first_cause
from recollect.records.display import safe_text

app = typer.Typer(
    name="recollect",
    help="A memory for AI coding agents, stored as files you can read and review.",
    epilog="More: recollect help remember|order|connect|tools|inside|measure|exit-codes",
    cls=TopicGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(requested: bool) -> None:
    if requested:
        print(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    project: Annotated[
        Path,
        typer.Option(
            "--project",
            "-C",
            metavar="FOLDER",
            show_default=False,
            help="Work in this folder instead of the current one.",
        ),
    ] = Path(),
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print results and errors, but no hints or progress.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also print what is used and how long it takes.")
    ] = False,
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = Start(project)
    verbosity.quiet, verbosity.verbose = quiet, verbose
    started = time.perf_counter()
    context.call_on_close(lambda: detail(f"{time.perf_counter() - started:.2f} s"))


for module in (
    setup,
    remember,
    write,
    edit,
    read,
    search,
    review,
    pin,
    lifecycle,
    forget,
    links,
    why,
    maintenance,
    import_export,
    team_exchange,
    redact,
    settings,
    impact,
    serve,
    web,
    graph,
    session,
    rules,
    models,
    replay,
    thresholds,
    topics,
):
    app.add_typer(module.app)
for group in (
    lazy_group(
        "gateway",
        "Configure MCP servers, and find their tools.",
        "gateway",
        "gateway_import",
        "gateway_policy",
        "gateway_projection",
        "gateway_review",
        "gateway_update",
    ),
    lazy_group(
        "run",
        "Run workflows: tool calls as a graph, parallel and resumable.",
        "run",
        "run_code",
        "run_commands",
        "run_history",
    ),
    lazy_group("capability", "Reuse code that worked.", "capability", "capability_files"),
    lazy_group("trace", "Show how things were scored, and whether that was right.", "trace"),
    lazy_group(
        "team",
        "Manage members, roles, tokens and the audit log of a team's project.",
        "team",
        "team_members",
        "team_tokens",
    ),
    lazy_group("bench", "Measure Recollect on this machine.", "bench"),
):
    app.add_typer(group)


_BEFORE_COMMAND = ("-q", "--quiet", "-v", "--verbose", "-C", "--project")
_DISK_ERRORS = (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EIO)
# The error that the CLI library raises for a wrong command line; its name depends on the version.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])


@cache
def _command() -> Any:
    """The commands, as the CLI library runs them; a test runs many of them in one process."""
    return get_command(app)


def main() -> None:
    """Run the command line. A known error never shows a traceback."""
    if sys.stdout is None:
        _output_failed("it is closed; redirect it to /dev/null if you do not need it")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks a character gets a `?`
    try:
        code = _command()(prog_name="recollect", standalone_mode=False)
        sys.stdout.flush()
    except RecollectError as error:
        _fail(str(error), exit_of(error), _as_text(error))
    except typer.Abort:
        _fail(interruption.text or "cancelled", Exit.INTERRUPTED)
    except _UsageError as error:
        _refuse(error)
    except BrokenPipeError:
        _leave_quietly()
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # the CLI library calls that a failure
            _leave_quietly()
        raise
    except Exception as error:
        _unexpected(error)
    else:
        if code == Exit.INTERRUPTED:
            print(file=sys.stderr)  # away from the ^C that the terminal shows
            _fail(interruption.text or "interrupted", Exit.INTERRUPTED)
        sys.exit(code)


def _unexpected(error: Exception) -> NoReturn:
    """Report an error that no command expects: a disk that refuses, or a fault of ours."""
    if isinstance(error, OSError) and not _output_works():
        _output_failed(str(error.strerror))
    if os.environ.get("RECOLLECT_DEBUG"):
        raise error
    cause = first_cause(error)  # of a server, which runs in a task group
    if isinstance(cause, RecollectError):
        _fail(str(cause), exit_of(cause), _as_text(cause))
    if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
        what = f"{error.filename!r} cannot be changed: " if error.filename else ""
        _fail(f"{what}{error.strerror}.", Exit.STORE)
    _fail(f"unexpected {type(error).__name__}: {error}; RECOLLECT_DEBUG=1 shows where.", Exit.FAILED)


def _refuse(error: typer.BadParameter) -> NoReturn:
    """Say what is wrong with the command line."""
    error.show()
    option = getattr(error, "option_name", None)
    if option in _BEFORE_COMMAND:
        print(f"{option} goes before the command: recollect {option} COMMAND", file=sys.stderr)
    _fail(error.format_message(), Exit.USAGE, "")


def _fail(message: str, code: Exit, text: str | None = None) -> NoReturn:
    """Exit with a code and the message: as JSON with `--json`, and as `text` on standard error."""
    if "--json" in sys.argv:
        try:
            out: ErrorOutput = {"error": message, "exit_code": code.value}
            print_json(out)
            sys.stdout.flush()
        except OSError:
            _discard_output()  # the exit code and standard error still report it
    if text != "":
        print(f"recollect: {safe_text(text or message)}", file=sys.stderr)
    sys.exit(code)


def _as_text(error: RecollectError) -> str:
    """An error as a person reads it: several problems are a list."""
    if isinstance(error, InvalidMemoryError) and len(error.problems) > 1:
        return f"{error.where}:" + "".join(f"\n  - {problem}" for problem in error.problems)
    return str(error)


def _leave_quietly() -> NoReturn:
    """The reader of the pipe is gone: discard the buffer and exit with 0."""
    _discard_output()
    sys.exit(Exit.OK)


def _output_failed(why: str) -> NoReturn:
    """Standard output cannot be written: the disk is full, or it is closed."""
    if sys.stdout is not None:
        _discard_output()
    print(f"recollect: cannot write to standard output: {why}.", file=sys.stderr)
    sys.exit(Exit.STORE)


def _output_works() -> bool:
    """Whether standard output accepts another line. The error itself does not say which file failed."""
    try:
        print(flush=True)
    except OSError:
        return False
    return True


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
