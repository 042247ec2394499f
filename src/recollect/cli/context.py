"""The folder that a command works in, and the project in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.output import detail, safe, warn
from recollect.errors import NoProjectError, NotFoundError

if TYPE_CHECKING:
    from recollect.app.project import Recollect

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
UserFlag = Annotated[
    bool,
    typer.Option("--user", help="Use your own memories instead of the project's, from any folder."),
]


@dataclass(frozen=True, slots=True)
class Start:
    """The folder a command works in."""

    named: Path

    @property
    def folder(self) -> Path:
        """The folder. Raises NotFoundError when there is none of that name."""
        if not self.named.is_dir():
            raise NotFoundError(f"the folder {str(self.named)!r} does not exist.")
        return self.named

    def open(self, *, user: bool = False, lenient: bool = False) -> "Recollect":
        """The project that the folder is in, or the user's memories; `lenient` as `open_project` has it."""
        from recollect.app.opening import open_project, open_user

        if user:
            return open_user(self.folder, lenient=lenient)
        return open_project(self.folder, lenient=lenient)


def opened(context: typer.Context, *, user: bool = False, shows_settings: bool = False) -> "Recollect":
    """The project of a running command, or with `--user` the user's own memories.

    Settings that are not accepted are named on standard error, unless the command shows them itself. One
    that does also runs with a configuration file that cannot be read.
    """
    start: Start = context.obj
    try:
        recollect = start.open(user=user, lenient=shows_settings)
    except NoProjectError as error:
        if any(param.name == "user" for param in context.command.params):
            raise error.with_advice("`--user` uses your own memories") from None
        raise
    detail(f"memories in {safe(str(recollect.root))}")
    context.call_on_close(recollect.traces.write)
    if not shows_settings:
        for problem in recollect.config.problems:
            warn(f"[yellow]{safe(str(problem))}[/] The default is used.")
    return recollect
