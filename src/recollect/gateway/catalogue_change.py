"""What a new list of a server changes about the stored one. Pure: engines load and save."""

from collections.abc import Callable, Mapping, Sequence

from recollect.gateway.entry import key_of
from recollect.gateway.listing import Entry
from recollect.gateway.ports import CatalogueChange


def first_of_each(
    entries: Sequence[Entry], storable: Callable[[str], str]
) -> tuple[dict[str, Entry], list[str]]:
    """The entries by key as an engine can store it, the first of each, and the keys that came again."""
    current, repeated = dict[str, Entry](), list[str]()
    for entry in entries:
        key = storable(key_of(entry))
        if current.setdefault(key, entry) is not entry:
            repeated.append(key)
    return current, repeated


def changed_keys(
    stored: Mapping[str, str], current: Mapping[str, str], repeated: Sequence[str]
) -> CatalogueChange:
    """What became of each key, by the digests of its content before and now."""
    return CatalogueChange(
        tuple(sorted(current.keys() - stored.keys())),
        tuple(sorted(stored.keys() - current.keys())),
        tuple(sorted(key for key in current.keys() & stored.keys() if current[key] != stored[key])),
        tuple(sorted(set(repeated))),
    )
