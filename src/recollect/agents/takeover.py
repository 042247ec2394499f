"""Put our server in place of others in a harness's file, and take exactly that back. Texts in, texts out.

The record of a change has the pieces that were cut out, not the file around them: other servers in it may
hold secrets. While the file is as we left it, the pieces restore it byte for byte; if it changed, our entry
goes and the servers return, and everything else stays as it is now.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import pairwise
from typing import Any

from recollect.agents import toml_settings
from recollect.agents.json_settings import value_at, with_value, without_value
from recollect.agents.lenient import inside, json_of
from recollect.agents.ownership import SERVER, is_our_server
from recollect.agents.servers_files import ServersFile
from recollect.errors import RefusedError

Entry = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Splice:
    """`length` characters at `at` took the place of `cut`."""

    at: int
    length: int
    cut: str


@dataclass(frozen=True, slots=True)
class Takeover:
    """What was done to one file: the servers that went, as it had them, and whether our entry is new."""

    path: str
    keys: tuple[str, ...]
    project: str
    servers: Mapping[str, Entry]
    is_new: bool
    splices: tuple[Splice, ...]
    before: str
    after: str

    @property
    def is_toml(self) -> bool:
        """Whether the file is TOML; all others are JSON."""
        return self.path.endswith(".toml")


def planned(file: ServersFile, text: str, names: Sequence[str], entry: Entry) -> tuple[Takeover, str]:
    """The record and the text with our server in place of those in `names`.

    Raises:
        RefusedError: if the text cannot be changed without harm, or another server has our name.
    """
    table = _table(text, file.keys, is_toml=file.is_toml)
    servers: dict[str, Entry] = {
        name: value for name in names if isinstance(value := table[name], dict)
    }
    is_new = not any(is_our_server(value) for value in table.values())
    if is_new and SERVER in table:
        raise RefusedError(f"it has another server named {SERVER!r}")
    steps = [text]
    for step in _steps(servers, entry if is_new else None, file):
        steps.append(step(steps[-1]))
    left = [name for name in table if name not in servers]
    if list(_table(steps[-1], file.keys, is_toml=file.is_toml)) != [
        *left,
        *([SERVER] if is_new else []),
    ]:
        raise RefusedError("it names a server twice; remove one of the entries")
    splices = tuple(_splice(old, new) for old, new in pairwise(steps))
    record = Takeover(
        file.path, file.keys, file.project, servers, is_new, splices, _digest(text), _digest(steps[-1])
    )
    return record, steps[-1]


def _steps(
    servers: Iterable[str], entry: Entry | None, file: ServersFile
) -> list[Callable[[str], str]]:
    """One edit after the other. JSON gets our entry first: its editor removes a table that becomes empty.

    In TOML it goes to the end.
    """
    steps = [partial(_removed, keys=file.keys, name=name, is_toml=file.is_toml) for name in servers]
    if entry is None:
        return [*steps]
    added = partial(_added, keys=file.keys, name=SERVER, entry=entry, is_toml=file.is_toml)
    return [*steps, added] if file.is_toml else [added, *steps]


def restored(record: Takeover, text: str) -> tuple[str, bool]:
    """The text without our change, and whether it is the one before it, byte for byte.

    Raises:
        RefusedError: if the text cannot be changed without harm.
    """
    if _digest(text) == record.before:
        return text, True
    if _digest(text) == record.after:
        for splice in reversed(record.splices):
            text = text[: splice.at] + splice.cut + text[splice.at + splice.length :]
        return text, True
    for name, entry in record.servers.items():
        if name not in _table(text, record.keys, is_toml=record.is_toml):
            text = _added(text, record.keys, name, entry, is_toml=record.is_toml)
    if record.is_new and is_our_server(_table(text, record.keys, is_toml=record.is_toml).get(SERVER)):
        text = _removed(text, record.keys, SERVER, is_toml=record.is_toml)
    return text, False


def _table(text: str, keys: tuple[str, ...], *, is_toml: bool) -> Mapping[str, object]:
    if is_toml:
        return toml_settings.server_tables(text)
    document = json_of(text)  # not by position, which is slow for megabytes
    table = inside(document, *keys) if document is not None else value_at(text, keys)
    return table if isinstance(table, dict) else {}


def _added(text: str, keys: tuple[str, ...], name: str, entry: Entry, *, is_toml: bool) -> str:
    if is_toml:
        return toml_settings.with_entry(text, name, entry)
    return with_value(text, (*keys, name), entry)


def _removed(text: str, keys: tuple[str, ...], name: str, *, is_toml: bool) -> str:
    if is_toml:
        return toml_settings.without_entry(text, name)
    return without_value(text, (*keys, name)) or ""


def _splice(old: str, new: str) -> Splice:
    """The one place where two texts differ."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    return Splice(start, len(new) - end - start, old[start : len(old) - end])


def _common(first: str, second: str) -> int:
    """How many characters two texts begin with alike. By halves: a file may have millions."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def written(record: Takeover) -> dict[str, Any]:
    """A record as JSON."""
    return {
        "path": record.path,
        "keys": list(record.keys),
        "project": record.project,
        "servers": dict(record.servers),
        "is_new": record.is_new,
        "splices": [[splice.at, splice.length, splice.cut] for splice in record.splices],
        "before": record.before,
        "after": record.after,
    }


def parsed(row: Mapping[str, Any]) -> Takeover:
    """A record from JSON. Raises KeyError, TypeError or ValueError for anything else."""
    return Takeover(
        str(row["path"]),
        tuple(map(str, row["keys"])),
        str(row["project"]),
        {str(name): dict(entry) for name, entry in row["servers"].items()},
        bool(row["is_new"]),
        tuple(Splice(int(at), int(length), str(cut)) for at, length, cut in row["splices"]),
        str(row["before"]),
        str(row["after"]),
    )


def pieces(record: Takeover) -> str:
    """Every text of the file that the record repeats."""
    return "\n".join(
        [*(splice.cut for splice in record.splices), json.dumps(dict(record.servers), default=str)]
    )
