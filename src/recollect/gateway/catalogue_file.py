"""A catalogue in a file: what `tools/list` answers, a list of tools, or one tool per line."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.errors import InvalidError
from recollect.gateway.tool import UpstreamTool


def parse_catalogue(text: str, where: str) -> list[UpstreamTool]:
    """The tools of a file. Raises InvalidError that names the file and what is wrong with it.

    A tool has `name`, and may have `server`, `description`, and `inputSchema` or `input_schema`.
    """
    tools = [_tool(row, f"{where}, tool {place}") for place, row in enumerate(_rows(text, where), 1)]
    seen: set[str] = set()
    for tool in tools:
        if tool.id in seen:
            raise InvalidError(f"{where}: the tool {tool.id!r} is listed twice; remove one of them.")
        seen.add(tool.id)
    return tools


def _rows(text: str, where: str) -> Iterator[object]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise InvalidError(f"{where} is not valid JSON: {error}.") from None
        for number, line in enumerate(lines, 1):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as wrong:
                raise InvalidError(f"{where}, line {number} is not valid JSON: {wrong}.") from None
        return
    if isinstance(document, dict) and isinstance(document.get("tools"), list):
        document = document["tools"]
    yield from document if isinstance(document, list) else [document]


def _tool(row: object, where: str) -> UpstreamTool:
    fields: Mapping[str, Any] = row if isinstance(row, dict) else {}
    name = fields.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidError(f"{where}: the tool has no name; a tool is an object with at least `name`.")
    schema = fields.get("inputSchema", fields.get("input_schema"))
    return UpstreamTool(
        str(fields.get("server") or "catalogue"),
        name,
        str(fields.get("description") or ""),
        schema if isinstance(schema, dict) else {},
    )
