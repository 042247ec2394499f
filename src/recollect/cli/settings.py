"""`config`: every setting, its value, where it comes from, and what it does."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import print_json, safe, say, warn
from recollect.config import SETTINGS
from recollect.errors import NoProjectError, RefusedError
from recollect.paths import CONFIG_NAME
from recollect.views.settings import (
    ConfigOutput,
    ConfigRow,
    SettingProblemRow,
    problem_rows,
    setting_row,
)

if TYPE_CHECKING:
    from recollect.app.project import Recollect

app = typer.Typer()


@command(
    app,
    "config",
    "recollect config",
    "recollect config delete.grace_period_days",
    "recollect config delete.grace_period_days 60",
    "recollect config --json",
    output=ConfigOutput,
)
def config(
    context: typer.Context,
    key: Annotated[
        str | None, typer.Argument(metavar="KEY", help="The setting to show or change.")
    ] = None,
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="Its new value.")] = None,
    user: Annotated[
        bool, typer.Option("--user", help="Write to your own file, which applies everywhere.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show every setting or one of them, or change one.

    Changes go to the project's configuration file, or with --user to your own, from any folder.
    """
    recollect = _opened(context, user=user)
    if key is not None and value is not None:
        if key == "memory_root" and not user:
            raise RefusedError("the project's file cannot set its own location; add --user.")
        if key in ("database", "database_replica") and not user:
            raise RefusedError(
                "a repository must not decide where memories are sent; add --user, or set "
                "RECOLLECT_DATABASE."
            )
        if aside := recollect.upkeep.configure(key, value, user=user):
            warn(f"[yellow]The file could not be read; it is {safe(str(aside))} now.[/]")
        recollect = _opened(context, user=user)
    rows, problems = _rows(recollect, key), setting_problems(recollect)
    if as_json:
        root = str(recollect.root)
        out: ConfigOutput = {
            "project": recollect.identity.name,
            "root": root,
            "settings": rows,
            "problems": problems,
        }
        print_json(out)
        return
    if key is None:
        identity = recollect.identity
        say(f"project  [bold]{safe(identity.name)}[/] [dim](named by {identity.source})[/]")
        say(f"root     {safe(str(recollect.root))}\n")
    for row in rows:
        say(f"{row['key']} = [bold]{safe(str(row['value']))}[/]  [dim]{safe(row['origin'])}[/]")
        say(f"    [dim]{safe(row['help'])}[/]")
    show_problems(problems)
    if value is not None and _overridden(recollect, rows[0]["origin"], user=user):
        say(f"[yellow]Written, but {safe(rows[0]['origin'])} overrides it.[/]")


def _opened(context: typer.Context, *, user: bool) -> "Recollect":
    """The project, whose settings come before the user's; with `--user` it need not exist."""
    try:
        return opened(context, shows_settings=True)
    except NoProjectError:
        if not user:
            raise
        return opened(context, user=True, shows_settings=True)


def setting_problems(recollect: "Recollect") -> list[SettingProblemRow]:
    """Values that are not accepted, and keys that are probably misspelt."""
    from recollect.app.settings import unknown_keys

    return problem_rows(recollect.config.problems, unknown_keys(recollect.root))


def show_problems(problems: list[SettingProblemRow]) -> None:
    """Print what is wrong with the settings, a line each."""
    for problem in problems:
        default = "" if "nearest" in problem else " The default is used; commands that write refuse."
        say(f"setting   [red]{safe(problem['message'])}[/]{default}")


def _overridden(recollect: "Recollect", origin: str, *, user: bool) -> bool:
    """Whether the value comes from a place that overrides the file that was just written."""
    project_file = str(recollect.root / CONFIG_NAME)
    return origin.startswith("$") or (user and origin == project_file)


def _rows(recollect: "Recollect", key: str | None) -> list[ConfigRow]:
    """All settings, or the one with that key."""
    rows = [setting_row(recollect.config, name) for name in SETTINGS if key in (None, name)]
    if not rows:
        from recollect.config.misspelt import nearest_key

        hint = f" did you mean {nearest}?" if (nearest := nearest_key(key or "")) else ""
        raise RefusedError(f"there is no setting {key!r};{hint} `recollect config` lists them.")
    return rows
