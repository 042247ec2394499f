"""Tools that pass for another server's: the same name to a reader, or a text that directs another's tool.

Calls go by `server:tool`, so that a shadow is never called in another's place. It is named, so that a person
can decide whether its server should stay.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from recollect.gateway.hostile_text import LONGEST
from recollect.gateway.lookalikes import skeleton
from recollect.gateway.tool import UpstreamTool

_NAME = re.compile(r"[\w.:/-]{5,128}")
_SENTENCE = re.compile(r"[^\n;]+?(?:[.!?](?=\s|\Z)|[\n;]|\Z)")
_DIRECTS = re.compile(
    r"\b(?:instead of|rather than|in place of|replac\w+|supersed\w+|overrid\w+|deprecat\w+|do not use"
    r"|don'?t use|never use|stop using|before (?:us|call|invok|run)\w+|after (?:us|call|invok|run)\w+"
    r"|when(?:ever)?\b.{0,40}\b(?:called|invoked|used|running|calling|using)|must|always)\b"
)
_MOST_SHADOWED = 5  # named for each tool


def shadows(tools: Sequence[UpstreamTool]) -> Mapping[str, list[str]]:
    """By the id of a tool, in words, which tools of other servers it passes for or directs."""
    looks = _by_look(tools)
    servers: dict[str, set[str]] = defaultdict(set)
    for tool in tools:
        servers[tool.name.lower()].add(tool.server)
    result: dict[str, list[str]] = {}
    for tool in tools:
        alike = [other for other in looks[skeleton(tool.name)] if other.server != tool.server]
        claims = [
            f"{'has the name of' if other.name == tool.name else 'looks like'} {other.id}"
            for other in alike[:_MOST_SHADOWED]
        ]
        claims += [
            f"gives instructions about the tool {name!r} of another server"
            for name in _directed(tool, servers)
        ]
        if claims:
            result[tool.id] = claims
    return result


def _by_look(tools: Sequence[UpstreamTool]) -> Mapping[str, list[UpstreamTool]]:
    looks: dict[str, list[UpstreamTool]] = defaultdict(list)
    for tool in tools:
        looks[skeleton(tool.name)].append(tool)
    return looks


def _directed(tool: UpstreamTool, servers: Mapping[str, set[str]]) -> list[str]:
    """The names of other servers' tools about which the description gives orders."""
    names: list[str] = []
    for sentence in _SENTENCE.finditer(tool.description[:LONGEST].lower()):
        if _DIRECTS.search(sentence[0]):
            names += [name for name in _names(sentence[0]) if _is_foreign(name, tool.server, servers)]
    return sorted(set(names))[:_MOST_SHADOWED]


def _names(sentence: str) -> list[str]:
    """What may be the name of a tool: plain words are left out, because they are words first."""
    words = [word.rstrip(".:") for word in _NAME.findall(sentence)]
    return [re.split(r":|__", word)[-1] for word in words if re.search(r"[_:./-]", word)]


def _is_foreign(name: str, server: str, servers: Mapping[str, set[str]]) -> bool:
    return name in servers and server not in servers[name]
