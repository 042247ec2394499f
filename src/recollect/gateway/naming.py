"""Names under which upstream tools are listed beside our own: within clients' limits, and one tool each."""

import hashlib
import re
from collections.abc import Iterable

from recollect.gateway.tool import UpstreamTool

# Models accept names of 64 characters; Claude Code puts `mcp__recollect__` before ours. Cursor counts 60
# with the server's name.
LONGEST = 46
_BETWEEN = "__"
_REFUSED = re.compile(r"[^A-Za-z0-9_-]")
_DIGEST = 8  # characters


def listed_names(tools: Iterable[UpstreamTool], taken: Iterable[str] = ()) -> dict[str, UpstreamTool]:
    """The tools by the names under which clients see them, in order of their ids.

    `server__tool` where that can be read back; otherwise a shortened form that ends in a digest of the id, so
    that a name stays the same whatever other tools there are.
    """
    names: dict[str, UpstreamTool] = {}
    used = set(taken)
    for tool in sorted(tools, key=lambda tool: tool.id):
        length = _DIGEST
        name = _plain(tool) or _digested(tool, length)
        while name in used:
            length += 1
            name = _digested(tool, length)
        used.add(name)
        names[name] = tool
    return names


def _plain(tool: UpstreamTool) -> str:
    """`server__tool`; empty where it is too long, or another tool could have the same."""
    name = f"{tool.server}{_BETWEEN}{tool.name}"
    ambiguous = _BETWEEN in tool.server or tool.server.endswith("_") or tool.name.startswith("_")
    return "" if ambiguous or _REFUSED.search(name) or len(name) > LONGEST or not tool.name else name


def _digested(tool: UpstreamTool, length: int) -> str:
    digest = hashlib.sha256(tool.id.encode("utf-8", "surrogatepass")).hexdigest()[:length]
    readable = _REFUSED.sub("_", f"{tool.server}{_BETWEEN}{tool.name}")
    return f"{readable[: LONGEST - length - 1]}_{digest}"
