"""The command line's entry: commands, global options, and errors turned into exit codes."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from recollect import __version__
from recollect.cli import care, exchange, graph, life, read, settings, setup, write
from recollect.cli.context import Start
from recollect.cli.exits import MEANINGS, Exit, exit_of
from recollect.cli.output import print_json
from recollect.errors import RecollectError

app = typer.Typer(
    name="recollect",
    help="The memory of an AI coding agent, kept as files you can read and review.",
    epilog="\b\nExit codes:\n"
    + "\n".join(f"  {code.value:>3}  {text}" for code, text in MEANINGS.items()),
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        print(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    project: Annotated[
        Path, typer.Option("--project", "-C", help="Work in this folder instead of the current one.")
    ] = Path(),
    _version_asked: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = Start(project)


for module in (setup, write, read, life, graph, care, exchange, settings):
    module.register(app)


def main() -> None:
    """Run the command line; never shows a traceback for an error that we know."""
    try:
        app()
    except RecollectError as error:
        _report(str(error), exit_of(error))
    except KeyboardInterrupt:
        _report("interrupted", Exit.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; there is nobody to tell
        sys.exit(Exit.OK)
    except Exception as error:
        if os.environ.get("RECOLLECT_DEBUG"):
            raise
        _report(
            f"unexpected {type(error).__name__}: {error}; RECOLLECT_DEBUG=1 shows where.", Exit.FAILED
        )


def _report(message: str, code: Exit) -> None:
    if "--json" in sys.argv:
        print_json({"error": message, "exit_code": code.value})
    print(f"recollect: {message}", file=sys.stderr)
    sys.exit(code)
