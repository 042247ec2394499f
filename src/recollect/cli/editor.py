"""Edit a record in the user's editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import typer

from recollect.errors import InvalidError, RefusedError
from recollect.records.json_format import JsonObject, parse
from recollect.records.record import Memory


def edited(old: Memory, text: str) -> JsonObject | None:
    """The edited record; None when nothing was changed.

    A record that is not valid is reported, and the editor opens on it again if the user wants that. If
    not, the text is left in a file that is named, for what was typed is not ours to throw away.
    """
    path = Path(tempfile.mkdtemp(prefix="recollect-")) / f"{old.id}.json"
    path.write_text(text, "utf-8")
    while True:
        _open(path)
        try:
            document = _changed(old, path, text)
        except InvalidError as error:
            typer.echo(f"recollect: {error}", err=True)
            if not _again():
                typer.echo(f"recollect: nothing was changed; your text is in {path}", err=True)
                raise typer.Abort from None
        else:
            path.unlink()
            path.parent.rmdir()
            return document


def _changed(old: Memory, path: Path, text: str) -> JsonObject | None:
    data = path.read_bytes()
    if data == text.encode():
        return None
    new = Memory.parse(parse(data, "the edited record"), "the edited record")
    if (new.id, new.category) != (old.id, old.category):
        raise RefusedError("id and category cannot change; save a new memory that supersedes this one.")
    return new.document


def _again() -> bool:
    try:
        return typer.confirm("Open the editor again?", default=True, err=True)
    except typer.Abort:
        return False


def _open(path: Path) -> None:
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        subprocess.run([*shlex.split(command), str(path)], check=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise RefusedError(
            f"the editor {command!r} failed ({error}); set $EDITOR to one that works."
        ) from None
