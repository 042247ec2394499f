"""Names under which upstream tools and prompts are listed: within the limits of clients, and one each."""

import hashlib
import re
from collections.abc import Iterable
from typing import Protocol, TypeVar


class ServerItem(Protocol):
    """Something that a server offers under a name."""

    @property
    def server(self) -> str: ...
    @property
    def name(self) -> str: ...


_Item = TypeVar("_Item", bound=ServerItem)

# Models accept names of 64 characters; Claude Code puts `mcp__recollect__` before ours. Cursor counts 60
# with the server's name.
LONGEST = 46
_BETWEEN = "__"
_REFUSED = re.compile(r"[^A-Za-z0-9_-]")
_DIGEST = 8  # characters


def listed_names(items: Iterable[_Item], taken: Iterable[str] = ()) -> dict[str, _Item]:
    """The items by the names under which clients see them, in order of their ids.

    `server__name` where that can be read back; otherwise a shortened form that ends in a digest of the id, so
    that a name stays the same whatever other items there are.
    """
    names: dict[str, _Item] = {}
    used = set(taken)
    for item in sorted(items, key=_id):
        length = _DIGEST
        name = _plain(item) or _digested(item, length)
        while name in used:
            length += 1
            name = _digested(item, length)
        used.add(name)
        names[name] = item
    return names


def _id(item: ServerItem) -> str:
    return f"{item.server}:{item.name}"


def _plain(item: ServerItem) -> str:
    """`server__name`; empty where it is too long, or another item could have the same."""
    name = f"{item.server}{_BETWEEN}{item.name}"
    ambiguous = _BETWEEN in item.server or item.server.endswith("_") or item.name.startswith("_")
    return "" if ambiguous or _REFUSED.search(name) or len(name) > LONGEST or not item.name else name


def _digested(item: ServerItem, length: int) -> str:
    digest = hashlib.sha256(_id(item).encode("utf-8", "surrogatepass")).hexdigest()[:length]
    readable = _REFUSED.sub("_", f"{item.server}{_BETWEEN}{item.name}")
    return f"{readable[: LONGEST - length - 1]}_{digest}"
