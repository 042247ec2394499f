"""Our server in Codex's config.toml, put in and taken out as text; the result is parsed to be sure.

What was there is cut in two: its text and its last line end. Our table goes between them, after an empty
line, so taking it out leaves what was there, and a file that is our table alone was made by us.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from recollect.agents.ownership import SERVER, is_our_server
from recollect.errors import RefusedError

_TABLE = re.compile(r"^\[mcp_servers\.recollect(?:\.[^\]\n]+)?\][ \t]*(?:#.*)?(?=\r?$)", re.MULTILINE)
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_KEY_LINE = re.compile(r"^[ \t]*[^#\s].*?(?=\r?$)", re.MULTILINE)
_GAP = re.compile(r"\r?\n\r?\n\Z")


def block(words: Sequence[str], eol: str = "\n") -> str:
    """The table that starts our server, without a line end after it."""
    args = ", ".join(_quoted(word) for word in words[1:])
    lines = (f"[mcp_servers.{SERVER}]", f"command = {_quoted(words[0])}", f"args = [{args}]")
    return eol.join(lines)


def with_server(text: str | None, words: Sequence[str]) -> str:
    """`text` with our server's table; one that is there is brought up to date where it stands.

    Raises:
        RefusedError: when `text` is not TOML, or writing the table would change anything else.
    """
    if text is None:
        return block(words) + "\n"
    servers = _servers(text)
    if is_our_server(servers.get(SERVER)):
        after = _updated(text, words)
    elif SERVER in servers:
        raise RefusedError(f"it has another server named {SERVER!r}")
    else:
        eol = "\r\n" if "\r\n" in text else "\n"
        body, end = _split(text)
        after = f"{body}{eol}{eol}{block(words, eol)}{end}"
    _check(text, after, {"command": words[0], "args": list(words[1:])})
    return after


def without_server(text: str | None) -> str | None:
    """`text` without our server's table; None when there was nothing else.

    Raises:
        RefusedError: when `text` is not TOML, or the table cannot be told from the rest.
    """
    if text is None or not is_our_server(_servers(text).get(SERVER)):
        return text
    after = text
    while table := _TABLE.search(after):
        start, end = _extent(after, table)
        after = after[:start] + after[end:]
        if not table.start():  # nothing was there before us
            after = after.lstrip("\r\n")
            if not after:
                return None
    _check(text, after, None)
    return after


def _extent(text: str, table: re.Match[str]) -> tuple[int, int]:
    """From the empty line before a table to the end of its last key; comments below it are not ours."""
    before = _GAP.search(text, 0, table.start())
    following = _HEADER.search(text, table.end())
    end = table.end()
    for line in _KEY_LINE.finditer(text, table.end(), following.start() if following else len(text)):
        end = line.end()
    return before.start() if before else table.start(), end


def _updated(text: str, words: Sequence[str]) -> str:
    table = _TABLE.search(text)
    if not table:
        raise RefusedError("its server 'recollect' is not written as a table of its own")
    following = _HEADER.search(text, table.end())
    end = following.start() if following else len(text)
    args = f"[{', '.join(_quoted(word) for word in words[1:])}]"
    inside = text[table.end() : end]
    for key, value in (("command", _quoted(words[0])), ("args", args)):
        if line := re.search(rf"^{key}[ \t]*=.*?(?=\r?$)", inside, re.MULTILINE):
            inside = f"{inside[: line.start()]}{key} = {value}{inside[line.end() :]}"
    return text[: table.end()] + inside + text[end:]


def _check(before: str, after: str, server: dict[str, object] | None) -> None:
    """Refuse a text that says anything else than before, but for our server."""
    was, now = _parsed(before), _parsed(after)
    mine = now.get("mcp_servers", {}).pop(SERVER, {})
    was.get("mcp_servers", {}).pop(SERVER, None)
    kept = {key: mine.get(key) for key in server} if server else mine or None
    if kept != server or _filled(was) != _filled(now):
        raise RefusedError("it is written in a way that we cannot change without changing more")


def _filled(data: dict[str, object]) -> dict[str, object]:
    """`data` without a table of servers that holds none."""
    return {key: value for key, value in data.items() if key != "mcp_servers" or value}


def _servers(text: str) -> dict[str, object]:
    servers = _parsed(text).get("mcp_servers", {})
    if not isinstance(servers, dict):
        raise RefusedError("its 'mcp_servers' is not a table")
    return servers


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RefusedError(f"it is not TOML that we can read: {error}") from None


def _split(text: str) -> tuple[str, str]:
    """The text and its last line end, if it has one."""
    body = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    return body, text[len(body) :]


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")
