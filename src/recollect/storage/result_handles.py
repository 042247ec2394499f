"""Handles of stored results, which cannot be guessed."""

import base64
import re
import secrets

from recollect.errors import NotFoundError

HANDLE = re.compile(r"r[a-z2-7]{24}")


def new_handle() -> str:
    """A handle that no result has."""
    return "r" + base64.b32encode(secrets.token_bytes(15)).decode().lower()


def unknown_result(handle: str) -> NotFoundError:
    """That no result has this handle, and what to do."""
    return NotFoundError(
        f"there is no result {handle[:40]!r} in this project; results expire after a week, or earlier when "
        "there are many. Call the tool again."
    )
