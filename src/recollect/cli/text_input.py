"""A text that a command reads from a file or from standard input."""

import sys
from pathlib import Path

from recollect.errors import NotFoundError, RefusedError


def read_text(file: str, most: int) -> str:
    """The text of a file; `-` is standard input. Raises RefusedError for one of more than `most` characters.

    A part of a text may mean something else, so none is returned.
    """
    try:
        if file == "-":
            text = sys.stdin.read(most + 1)
        else:
            with Path(file).open(encoding="utf-8") as stream:
                text = stream.read(most + 1)
    except OSError as error:
        raise NotFoundError(f"{file!r} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise RefusedError(f"{file!r} is not text.") from None
    if len(text) > most:
        raise RefusedError(f"{file!r} has more than {most:,} characters; nothing was done.")
    return text
