"""Edit a record in the user's editor."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from recollect.errors import InvalidError, RefusedError
from recollect.paths import read_plain
from recollect.records.json_format import MAX_BYTES, JsonObject, parse
from recollect.records.record import Memory


def edited_text(name: str, text: str) -> str:
    """A text as the user left it in their editor. Raises RefusedError when the editor fails."""
    path = Path(tempfile.mkdtemp(prefix="recollect-")) / name
    try:
        path.write_text(text, "utf-8")
        _open(path)
        return read_plain(str(path), MAX_BYTES).decode("utf-8", "replace")
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


@contextmanager
def editing(old: Memory, text: str, redact: Callable[[str], str]) -> Iterator[JsonObject | None]:
    """The edited record, to be saved inside the block; None when nothing was changed.

    A record that is not valid is reported, and the editor opens on it again if the user wants that. When
    anything fails, the editor included, what was typed is redacted and left in a file that is named.
    Nothing else stays of the editor's files.
    """
    path = _new_file(old, text)
    try:
        yield _edited(old, path, text)
    except BaseException:
        _keep_redacted(old, path, text, redact)
        raise
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def _edited(old: Memory, path: Path, text: str) -> JsonObject | None:
    while True:
        _open(path)
        try:
            return _changed(old, path, text)
        except InvalidError as error:
            typer.echo(f"recollect: {error}", err=True)
            if not _again():
                raise typer.Abort from None


def _new_file(old: Memory, text: str) -> Path:
    """A file in a folder of its own, which only the user can read."""
    path = Path(tempfile.mkdtemp(prefix="recollect-")) / f"{old.id}.json"
    path.write_text(text, "utf-8")
    return path


def _keep_redacted(old: Memory, path: Path, text: str, redact: Callable[[str], str]) -> None:
    """Leave what was typed, without its secrets, in a new file. The gate decides: no gate, no file."""
    try:
        typed = read_plain(str(path), MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    if typed.strip() and typed != text:
        draft = _new_file(old, redact(typed))
        typer.echo(f"recollect: nothing was changed; your text was saved in {draft}", err=True)


def _changed(old: Memory, path: Path, text: str) -> JsonObject | None:
    try:
        data = read_plain(str(path), MAX_BYTES)
    except OSError as error:
        raise RefusedError(f"the edited record cannot be read: {error}.") from None
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
