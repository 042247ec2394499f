"""How a command is declared: its name, its function, and examples that its help shows."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer

_Function = TypeVar("_Function", bound=Callable[..., Any])
_NO_WRAP = "\b\n"  # tells the help formatter to keep the lines of a paragraph


def command(app: typer.Typer, name: str, *examples: str) -> Callable[[_Function], _Function]:
    """Register a command whose help ends in these examples."""
    shown = "\n".join(f"  {example}" for example in examples)
    return app.command(name, epilog=f"{_NO_WRAP}Examples:\n{shown}")
