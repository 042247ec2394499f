"""The key that seals suspended code: one for each user, readable by them alone."""

import os
import secrets
from pathlib import Path

from recollect.errors import UnwritableError
from recollect.storage.private import FILE, make_folder

KEY_NAME = "code.key"
_BYTES = 32


def guest_key(folder: Path) -> bytes:
    """The user's key; the first that asks makes it. Raises UnwritableError.

    It lies with the user's own files, because a project's folder may be written by others.
    """
    file = folder / KEY_NAME
    try:
        make_folder(folder)
        if (key := _read(file)) is None:
            _create(file)
            key = _read(file)
    except OSError as error:
        raise UnwritableError(f"{file} cannot be used: {error.strerror}.") from None
    if key is None or len(key) != _BYTES:
        raise UnwritableError(
            f"{file} is not a key of Recollect; remove it, and Recollect creates a new one."
        )
    return key


def _read(file: Path) -> bytes | None:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as opened:
        return opened.read(_BYTES + 1)


def _create(file: Path) -> None:
    """Make the key in a file of its own and link it, so that nobody ever reads half of it."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, FILE)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(secrets.token_bytes(_BYTES))
            opened.flush()
            os.fsync(opened.fileno())
        os.link(draft, file)
    except FileExistsError:
        pass  # another process was first; its key counts
    finally:
        draft.unlink()
