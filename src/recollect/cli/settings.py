"""`config`: every setting, its value, where it comes from, and what it does."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli import wire
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import console, print_json, safe, say
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from recollect.app import Recollect


def register(app: typer.Typer) -> None:
    command(
        app,
        "config",
        "recollect config",
        "recollect config delete.grace_period_days 60",
        "recollect config --json",
    )(config)


def config(
    context: typer.Context,
    key: Annotated[str | None, typer.Argument(help="The setting to change.")] = None,
    value: Annotated[str | None, typer.Argument(help="Its new value.")] = None,
    user: Annotated[bool, typer.Option("--user", help="Write to the user's file.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show every setting, or change one.

    Changes go to the project's configuration file, or with --user to the user's.
    """
    recollect = opened(context)
    if key is not None:
        if value is None:
            raise RefusedError(f"say what {key!r} should be: recollect config {key} VALUE.")
        recollect.configure(key, value, user=user)
        recollect = opened(context)
    rows: list[wire.ConfigRow] = [
        {"key": key, "value": found.value, "origin": found.origin, "help": found.setting.help}
        for key, found in recollect.config.values.items()
    ]
    if as_json:
        root = str(recollect.project.root.path)
        out: wire.ConfigOutput = {"project": recollect.identity.name, "root": root, "settings": rows}
        print_json(out)
    else:
        _show(recollect, rows)


def _show(recollect: "Recollect", rows: list[wire.ConfigRow]) -> None:
    from rich.table import Table

    identity = recollect.identity
    say(f"project  [bold]{safe(identity.name)}[/] [dim](named by {identity.source})[/]")
    say(f"root     {safe(str(recollect.project.root.path))}\n")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("setting", "value", "from", "what it does"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(
            row["key"],
            f"[bold]{safe(str(row['value']))}[/]",
            safe(row["origin"]),
            f"[dim]{safe(row['help'])}[/]",
        )
    console().print(table)
