"""A server in a TOML file of MCP servers: added, updated and removed, every other byte as it was.

tomlkit edits the table, and tomllib checks that nothing else changed. A new table is appended as text after
an empty line, because tomlkit would reformat the lines around it; removing it takes that line out again. A
file with nothing but our table is one that we created.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from recollect.agents.ownership import SERVER, is_our_server
from recollect.errors import RefusedError

_KEY = "mcp_servers"
_HEADER = re.compile(rf"^\[{_KEY}\.{SERVER}\]", re.MULTILINE)
_TABLE = re.compile(r"\s*\[\[?[^\[\]\n]+\]\]?\s*(?:#|$)")


def block(words: Sequence[str], eol: str = "\n") -> str:
    """The table that starts our server, without a line end after it."""
    return _block(SERVER, _started_by(words), eol)


def _block(name: str, entry: Mapping[str, object], eol: str) -> str:
    server = tomlkit.table()
    for key, value in entry.items():
        if isinstance(value, Mapping):
            inline = tomlkit.inline_table()
            inline.update(value)
            server.add(key, inline)
        else:
            server.add(key, value)
    servers = tomlkit.table(is_super_table=True).add(name, server)
    return tomlkit.document().add(_KEY, servers).as_string().rstrip("\n").replace("\n", eol)


def _started_by(words: Sequence[str]) -> dict[str, object]:
    return {"command": words[0], "args": list(words[1:])}


def with_server(text: str | None, words: Sequence[str]) -> str:
    """`text` with our server's table; an existing one is updated in place.

    Raises:
        RefusedError: if `text` is not TOML, or writing the table would change anything else.
    """
    if text is None:
        return block(words) + "\n"
    servers = server_tables(text)
    if is_our_server(servers.get(SERVER)):
        after = _updated(text, words)
        _check(text, after, SERVER, _started_by(words))
        return after
    return with_entry(text, SERVER, _started_by(words))


def with_entry(text: str, name: str, entry: Mapping[str, object]) -> str:
    """`text` with a new table for a server at its end.

    Raises:
        RefusedError: if `text` is not TOML, or has a server of that name.
    """
    if name in server_tables(text):
        raise RefusedError(f"it has another server named {name!r}")
    eol = "\r\n" if "\r\n" in text else "\n"
    body = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    after = f"{body}{eol}{eol}{_block(name, entry, eol)}{text[len(body) :]}"
    _check(text, after, name, entry)
    return after


def without_server(text: str | None) -> str | None:
    """`text` without our server's table; None if there was nothing else.

    Raises:
        RefusedError: if `text` is not TOML, or removing the table would change anything else.
    """
    if text is None or not is_our_server(server_tables(text).get(SERVER)):
        return text
    head, document, server = _table(text)
    mark = "remove"
    while mark in text:
        mark += "-"
    _empty(server, mark)
    emptied = head + document.as_string()
    after = re.sub(rf"(?:\r?\n){{0,2}}^[^\n]*# {mark}(?=\r?$)", "", emptied, flags=re.MULTILINE)
    if not text.endswith("\n"):
        after = after.removesuffix("\n").removesuffix("\r")
    if not head:
        after = after.lstrip("\r\n")
        if not after:
            return None
    _check(text, after, SERVER, {})
    return after


def without_entry(text: str, name: str) -> str:
    """`text` without the tables of a server, cut out line by line; what stands below their keys stays.

    Raises:
        RefusedError: if `text` is not TOML, or the tables cannot be cut out alone.
    """
    if name not in server_tables(text):
        return text
    quoted = re.escape(name)
    ours = re.compile(rf"""\s*\[{_KEY}\.(?:{quoted}|"{quoted}"|'{quoted}')[.\]]""")
    lines, left, pending = text.splitlines(keepends=True), [], []
    is_ours = False
    for line in lines:
        if _TABLE.match(line):
            is_ours = bool(ours.match(line))
        elif is_ours and (not line.strip() or line.lstrip().startswith("#")):
            pending.append(line)  # of the next table, unless another key of this one follows
            continue
        left += [] if is_ours and not _TABLE.match(line) else pending
        pending = []
        left += [] if is_ours else [line]
    after = "".join(left + pending)
    _check(text, after, name, {})
    return after


def _updated(text: str, words: Sequence[str]) -> str:
    head, document, server = _table(text)
    for key, value in _started_by(words).items():
        if server.get(key) != value:
            server[key] = value
    return head + document.as_string()


def _empty(table: Table, mark: str) -> None:
    """Remove every value, and leave headers with `mark` as their comment.

    The headers are cut out of the text, because tomlkit would take lines between tables out with them.
    """
    table.comment(mark)
    for key, value in list(table.items()):
        if isinstance(value, Table):
            _empty(value, mark)
        else:
            table.remove(key)


def _table(text: str) -> tuple[str, tomlkit.TOMLDocument, Table]:
    """The text before our table, the rest as a document, and our table in it.

    Not the whole text, because tomlkit reorders tables that have an array of tables between them.
    """
    for header in _HEADER.finditer(text):
        rest = text[header.start() :]
        try:
            document = tomlkit.parse(rest)
            server = document[_KEY][SERVER]
        except (TOMLKitError, RecursionError):  # a line of a longer text
            continue
        if isinstance(server, Table) and document.as_string() == rest:
            return text[: header.start()], document, server
    raise _unsafe(SERVER)


def _check(before: str, after: str, name: str, server: Mapping[str, object]) -> None:
    """Refuse an edit that changes more than one server, which must have at least the fields `server`."""
    old, new = _parsed(before), _parsed(after)
    old.get(_KEY, {}).pop(name, None)
    entry = new.get(_KEY, {}).pop(name, {})
    if _filled(old) != _filled(new) or bool(entry) != bool(server) or entry != {**entry, **server}:
        raise _unsafe(name)


def _unsafe(name: str) -> RefusedError:
    return RefusedError(
        f"its server {name!r} cannot be changed without touching other entries; give it a table of its own"
    )


def _filled(data: dict[str, object]) -> dict[str, object]:
    """`data` without an empty table of servers."""
    return {key: value for key, value in data.items() if key != _KEY or value}


def server_tables(text: str) -> dict[str, object]:
    """The servers of a file by name. Raises RefusedError if `text` is not TOML."""
    servers = _parsed(text).get(_KEY, {})
    if not isinstance(servers, dict):
        raise RefusedError(f"its {_KEY!r} is not a table")
    return servers


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RefusedError(f"it is not valid TOML: {error}") from None
