"""`web`: the page."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.errors import RefusedError
from recollect.installation import how_to_add
from recollect.views.web import WebOutput

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PORT = 8378

app = typer.Typer()


@command(
    app,
    "web",
    "recollect web",
    "recollect web --open",
    "recollect --project ~/shop web --port 0",
    output=WebOutput,
)
def web(
    context: typer.Context,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 takes any free one.")
    ] = PORT,
    opens: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the memories in your browser, on this machine only.

    Prints the address with its token. Ends with Ctrl-C, or with the process that started it.
    """
    start: Start = context.obj
    _configure_logs()
    start.open()  # says what is wrong before a page has to

    def announce(out: WebOutput, once: str) -> None:
        _announce(out, as_json=as_json)
        if opens:
            import webbrowser

            webbrowser.open(once)

    _serving()(start.folder, port, announce)
    from recollect.app.shutdown import end_process

    end_process()


def _configure_logs() -> None:
    import os

    from recollect.app.logs import configure_logs

    configure_logs(os.environ)


def _serving() -> "Callable[[Path, int, Callable[[WebOutput, str], None]], None]":
    """What serves the page. Raises RefusedError where a package is missing."""
    try:
        from recollect.web.serving import serve
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise RefusedError(
            f"the page needs the package {package!r}; `{how_to_add('web')}` adds it."
        ) from None
    return serve


def _announce(out: WebOutput, *, as_json: bool) -> None:
    from recollect.cli.output import print_json, say, warn

    if as_json:
        print_json(out)
    else:
        say(f"The page is at {out['address']}")
        if not out["built"]:
            warn("[yellow]The page is not built; `make page` builds it. The API works.[/]")
        if not out["person"]:
            warn("[yellow]An agent started this: nothing can be approved on the page.[/]")
    sys.stdout.flush()
