"""The folder that a command works in, and the project in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.output import safe, warn
from recollect.errors import NotFoundError
from recollect.records.memories import Memories

if TYPE_CHECKING:
    from recollect.app.project import Recollect

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
UserFlag = Annotated[
    bool, typer.Option("--user", help="Use the user's own memories instead of the project's.")
]


@dataclass(frozen=True, slots=True)
class Start:
    """The folder a command works in."""

    named: Path

    @property
    def folder(self) -> Path:
        """The folder. Raises NotFoundError when there is none of that name."""
        if not self.named.is_dir():
            raise NotFoundError(f"there is no folder {str(self.named)!r} to work in.")
        return self.named

    def open(self) -> "Recollect":
        """The project that the folder is in."""
        from recollect.app.opening import open_project

        return open_project(self.folder)


def opened(context: typer.Context, *, shows_settings: bool = False) -> "Recollect":
    """The project of a running command.

    Settings that are not accepted are named on standard error, unless the command shows them itself.
    """
    start: Start = context.obj
    recollect = start.open()
    context.call_on_close(recollect.traces.write)
    if not shows_settings:
        for problem in recollect.config.problems:
            warn(f"[yellow]{safe(str(problem))}[/] The default is used.")
    return recollect


def chosen(recollect: "Recollect", *, user: bool) -> Memories:
    """The project's memories, or the user's when `--user` asks for them."""
    return recollect.memories_to_write(user=user)
