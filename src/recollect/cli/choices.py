"""Options and arguments with a closed set of values, which their help lists as choices."""

from collections.abc import Iterable
from typing import Any

import typer

_IN_METAVAR = 34  # characters; a longer list leaves no room for help beside it on 80 columns


def choice_option(
    values: Iterable[str], *names: str, help: str, metavar: str, show_default: bool = True
) -> Any:
    """An option that takes one of these values. The command itself refuses others, and says so."""
    choices = tuple(values)
    short = f"[{'|'.join(choices)}]"
    if len(short) <= _IN_METAVAR:
        return typer.Option(*names, metavar=short, help=help, show_default=show_default)
    help = _listed(help, choices)
    return typer.Option(*names, metavar=metavar, help=help, show_default=show_default)


def choice_argument(values: Iterable[str], *, help: str, metavar: str) -> Any:
    """An argument that takes one of these values; its name stays in the usage line."""
    return typer.Argument(metavar=metavar, help=_listed(help, values))


def _listed(help: str, values: Iterable[str]) -> str:
    return f"{help} [{' | '.join(values)}]"
