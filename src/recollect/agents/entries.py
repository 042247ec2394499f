"""Our entries in a JSON configuration file: hooks by event, and a server by name."""

from collections.abc import Iterator, Mapping

from recollect.agents.json_settings import Path, found, placed, removed
from recollect.agents.ownership import SERVER, is_our_hook, is_our_server
from recollect.errors import RefusedError

Entry = Mapping[str, object]
# What may differ because it was written for another place; the rest may be the user's own choice.
_SERVER_KEYS = ("type", "command", "args")


def with_hooks(text: str | None, wanted: Mapping[str, Entry]) -> str:
    """`text` with one entry of ours for each event, none for any other; a stale one is brought up to date.

    Raises:
        RefusedError: when `text` is not plain JSON or has something else where hooks belong.
    """
    for event, entry in wanted.items():
        text = _with_hook(text, event, entry)
    assert text is not None
    for path in reversed([path for path in _hooks(text) if path[1] not in wanted]):
        text = removed(text, path) or text
    return text


def _with_hook(text: str | None, event: str, entry: Entry) -> str:
    mine = [path for path in _hooks(text) if path[1] == event]
    if text is None or not mine:
        there = found(text, ("hooks", event))
        end = len(there) if isinstance(there, list) else 0
        return placed(text, ("hooks", event, end), entry)
    text = _updated(text, mine[0], entry)
    for path in reversed(mine[1:]):
        text = removed(text, path) or text
    return text


def without_hooks(text: str | None) -> str | None:
    """`text` without our hooks; None when there was nothing else."""
    for path in reversed(list(_hooks(text))):
        text = removed(text, path) if text is not None else None
    return text


def with_server(text: str | None, key: str, entry: Entry) -> str:
    """`text` with our server under `key`; one that is there is brought up to date where it stands.

    Raises:
        RefusedError: when `text` is not plain JSON, or another server has our name.
    """
    for name in _servers(text, key):
        for field in _SERVER_KEYS:
            if field in entry:
                text = placed(text, (key, name, field), entry[field])
        return text or ""
    if found(text, (key, SERVER)) is not None:
        raise RefusedError(f"it has another server named {SERVER!r} under {key!r}")
    return placed(text, (key, SERVER), entry)


def without_server(text: str | None, key: str) -> str | None:
    """`text` without our server; None when there was nothing else."""
    for name in _servers(text, key):
        text = removed(text, (key, name)) if text is not None else None
    return text


def _servers(text: str | None, key: str) -> list[str]:
    servers = found(text, (key,))
    if not isinstance(servers, dict):
        return []
    return [name for name, entry in servers.items() if is_our_server(entry)]


def _updated(text: str, path: Path, entry: Entry) -> str:
    """The entry at `path` brought up to date, what a user added to it kept."""
    if "hooks" not in entry:
        return _overlaid(text, path, entry)
    hook = _only(entry["hooks"])
    if len(path) > 3:  # our hook moved into somebody's group: the group stays theirs
        return _overlaid(text, path, hook)
    around = {key: value for key, value in entry.items() if key != "hooks"}
    return _overlaid(_overlaid(text, path, around), (*path, "hooks", 0), hook)


def _overlaid(text: str, path: Path, fields: Entry) -> str:
    for key, value in fields.items():
        text = placed(text, (*path, key), value)
    return text


def _only(hooks: object) -> Entry:
    match hooks:
        case [dict() as item]:
            return item
        case _:
            raise RefusedError(f"a group of ours has one hook, not {hooks!r}")


def _hooks(text: str | None) -> Iterator[Path]:
    """Where our hooks stand: an entry, a group of nothing else, or a hook in somebody's group."""
    events = found(text, ("hooks",))
    for event, entries in events.items() if isinstance(events, dict) else ():
        for place, entry in enumerate(entries if isinstance(entries, list) else ()):
            yield from _in_entry(("hooks", event, place), entry)


def _in_entry(path: Path, entry: object) -> Iterator[Path]:
    if not isinstance(entry, dict):
        return
    inner = entry.get("hooks")
    if not isinstance(inner, list):
        if is_our_hook(entry.get("command")):
            yield path
        return
    mine = [isinstance(hook, dict) and is_our_hook(hook.get("command")) for hook in inner]
    if mine and all(mine):
        yield path
    else:
        yield from ((*path, "hooks", place) for place, ours in enumerate(mine) if ours)
