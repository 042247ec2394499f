"""How a command is declared: its name, its function, its examples and the shape of its `--json` output."""

from collections.abc import Callable, Iterator
from inspect import unwrap
from typing import Any, TypeVar

import typer

_Function = TypeVar("_Function", bound=Callable[..., Any])
_NO_WRAP = "\b\n"  # tells the help formatter to keep the lines of a paragraph
_OUTPUTS: dict[Callable[..., Any], type] = {}


def command(
    app: typer.Typer, name: str, *examples: str, output: type | None = None
) -> Callable[[_Function], _Function]:
    """Register a command whose help ends with these examples, and whose `--json` prints `output`."""
    lines = "\n".join(f"  {example}" for example in examples)
    register = app.command(name, epilog=f"{_NO_WRAP}Examples:\n{lines}")

    def declare(function: _Function) -> _Function:
        if output is not None:
            _OUTPUTS[function] = output
        return register(function)

    return declare


def commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that help shows, by its full name: `search`, `bench gate`."""
    context = typer.Context(group)
    for name in group.list_commands(context):
        entry = group.get_command(context, name)
        if hasattr(entry, "list_commands"):
            yield from commands(entry, f"{prefix}{name} ")
        elif not entry.hidden:
            yield prefix + name, entry


def outputs(app: typer.Typer) -> dict[str, type]:
    """The declared output of every command that has `--json`, by the command's full name."""
    from typer.main import get_command

    shapes = (
        (name, _OUTPUTS.get(unwrap(entry.callback))) for name, entry in commands(get_command(app))
    )
    return {name: shape for name, shape in shapes if shape is not None}
