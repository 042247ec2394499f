"""A group of commands that is imported when it is used, because every start pays for what it imports."""

from functools import cache
from importlib import import_module
from typing import Any

import typer

from recollect.cli.command_group import CommandGroup


def lazy_group(name: str, text: str, *modules: str) -> typer.Typer:
    """A group with this help. Its first module has the group as `app`; the others add commands to it."""

    @cache
    def commands() -> Any:
        from typer.main import get_group

        first, *_ = [import_module(f"recollect.cli.{module}") for module in modules]
        outer = typer.Typer(rich_markup_mode=None)  # plain help, as that of every other command
        outer.add_typer(first.app)
        return get_group(outer).commands[name]

    class LazyGroup(CommandGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(commands().list_commands(ctx))

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return commands().get_command(ctx, cmd_name)

    return typer.Typer(name=name, help=text, cls=LazyGroup, no_args_is_help=True)
