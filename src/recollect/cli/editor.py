"""A record in the user's own editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import typer

from recollect.errors import InvalidError, RefusedError
from recollect.records.json_format import JsonObject, parse
from recollect.records.record import Memory


def edited(text: str) -> JsonObject | None:
    """The record as the user left it; None when nothing was changed.

    A record that is not valid is reported, and the editor opens on it again if the user wants that.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.json"
        path.write_text(text, "utf-8")
        while True:
            _open(path)
            if path.read_text("utf-8") == text:
                return None
            try:
                document = parse(path.read_bytes(), "the edited record")
                return Memory.parse(document, "the edited record").document
            except InvalidError as error:
                typer.echo(f"recollect: {error}", err=True)
                typer.confirm("Open the editor again?", default=True, abort=True)


def _open(path: Path) -> None:
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        subprocess.run([*shlex.split(command), str(path)], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise RefusedError(
            f"the editor {command!r} failed ({error}); set $EDITOR to one that works."
        ) from None
