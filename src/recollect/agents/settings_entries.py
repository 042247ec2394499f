"""Our entries in a JSON configuration file: hooks by event, and a server by name."""

from collections.abc import Iterator, Mapping

from recollect.agents.json_settings import Path, value_at, with_value, without_value
from recollect.agents.ownership import SERVER, is_our_hook, is_our_server
from recollect.errors import RefusedError

Entry = Mapping[str, object]
# Fields that differ between installations. All others may be the user's own choice.
_SERVER_KEYS = ("type", "command", "args")


def with_hooks(text: str | None, wanted: Mapping[str, Entry]) -> str:
    """`text` with one entry of ours for each event of `wanted` and none for others; stale ones are updated.

    Raises:
        RefusedError: if `text` is not plain JSON, or has something else where hooks belong.
    """
    for event, entry in wanted.items():
        text = _with_hook(text, event, entry)
    assert text is not None
    for path in reversed([path for path in _hooks(text) if path[1] not in wanted]):
        text = without_value(text, path) or text
    return text


def _with_hook(text: str | None, event: str, entry: Entry) -> str:
    ours = [path for path in _hooks(text) if path[1] == event]
    if text is None or not ours:
        hooks = value_at(text, ("hooks", event))
        end = len(hooks) if isinstance(hooks, list) else 0
        return with_value(text, ("hooks", event, end), entry)
    text = _updated(text, ours[0], entry)
    for path in reversed(ours[1:]):
        text = without_value(text, path) or text
    return text


def without_hooks(text: str | None) -> str | None:
    """`text` without our hooks; None if nothing else is left."""
    for path in reversed(list(_hooks(text))):
        text = without_value(text, path) if text is not None else None
    return text


def with_server(text: str | None, key: str, entry: Entry) -> str:
    """`text` with our server under `key`; an existing one is updated in place.

    Raises:
        RefusedError: if `text` is not plain JSON, or another server has our name.
    """
    for name in _servers(text, key):
        for field in _SERVER_KEYS:
            if field in entry:
                text = with_value(text, (key, name, field), entry[field])
        return text or ""
    if value_at(text, (key, SERVER)) is not None:
        raise RefusedError(f"it has another server named {SERVER!r} under {key!r}")
    return with_value(text, (key, SERVER), entry)


def without_server(text: str | None, key: str) -> str | None:
    """`text` without our server; None if nothing else is left."""
    for name in _servers(text, key):
        text = without_value(text, (key, name)) if text is not None else None
    return text


def _servers(text: str | None, key: str) -> list[str]:
    servers = value_at(text, (key,))
    if not isinstance(servers, dict):
        return []
    return [name for name, entry in servers.items() if is_our_server(entry)]


def _updated(text: str, path: Path, entry: Entry) -> str:
    """`text` with the entry at `path` updated; fields that a user added stay."""
    if "hooks" not in entry:
        return _overlaid(text, path, entry)
    hook = _only(entry["hooks"])
    if len(path) > 3:  # the user moved our hook into a group of their own, so leave the group alone
        return _overlaid(text, path, hook)
    around = {key: value for key, value in entry.items() if key != "hooks"}
    return _overlaid(_overlaid(text, path, around), (*path, "hooks", 0), hook)


def _overlaid(text: str, path: Path, fields: Entry) -> str:
    for key, value in fields.items():
        text = with_value(text, (*path, key), value)
    return text


def _only(hooks: object) -> Entry:
    match hooks:
        case [dict() as item]:
            return item
        case _:
            raise RefusedError(f"a group of ours must have one hook, not {hooks!r}")


def _hooks(text: str | None) -> Iterator[Path]:
    """The paths of our hooks: an entry, a group with no other hook, or a hook in a user's group."""
    events = value_at(text, ("hooks",))
    for event, entries in events.items() if isinstance(events, dict) else ():
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            yield from _in_entry(("hooks", event, index), entry)


def _in_entry(path: Path, entry: object) -> Iterator[Path]:
    if not isinstance(entry, dict):
        return
    inner = entry.get("hooks")
    if not isinstance(inner, list):
        if is_our_hook(entry.get("command")):
            yield path
        return
    are_ours = [isinstance(hook, dict) and is_our_hook(hook.get("command")) for hook in inner]
    if are_ours and all(are_ours):
        yield path
    else:
        yield from ((*path, "hooks", index) for index, is_ours in enumerate(are_ours) if is_ours)
