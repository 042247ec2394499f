"""Letta agent files (`.af`): the memory blocks of an agent. Its messages and tools have no equivalent."""

from collections.abc import Iterator
from typing import Any

from recollect.ids import slug
from recollect.importing import rules
from recollect.importing.incoming import Incoming, Skipped

_PERSONA = "persona"
_LEFT_OUT = {
    "messages": "messages of a conversation; `recollect import transcripts` reads sessions",
    "tools": "tools; `recollect gateway` serves tools",
    "sources": "sources of documents, which are not memories",
    "files": "files, which are not memories",
    "groups": "groups of agents, which are not memories",
    "mcp_servers": "MCP servers; `recollect gateway import` reads those",
}


def is_agent_file(document: Any) -> bool:
    """Whether a document is an agent file: of the newer form with agents and blocks, or the older one."""
    if not isinstance(document, dict):
        return False
    has_blocks = isinstance(document.get("blocks"), list) and isinstance(document.get("agents"), list)
    return has_blocks or ("agent_type" in document and isinstance(document.get("core_memory"), list))


def read(document: dict[str, Any], origin: str) -> Iterator[Incoming | Skipped]:
    """The rules in each block, in its order; then what has no equivalent, with how many there are."""
    blocks = document.get("blocks") or document.get("core_memory")
    for position, block in enumerate(blocks if isinstance(blocks, list) else ()):
        fields = block if isinstance(block, dict) else {}
        label, value = str(fields.get("label") or position), fields.get("value")
        where = f"{origin}#{slug(label, fallback='block')}"
        if label.lower() == _PERSONA:
            yield Skipped(where, "describes the agent itself; memories are about a project")
        elif isinstance(value, str) and value.strip():
            yield from rules.read(value, where)
        else:
            yield Skipped(where, "a block without text")
    yield from _left_out(document, origin)


def _left_out(document: dict[str, Any], origin: str) -> Iterator[Skipped]:
    listed = document.get("agents")
    agents = [agent for agent in listed if isinstance(agent, dict)] if isinstance(listed, list) else []
    for name, reason in _LEFT_OUT.items():
        holders = [document, *agents]
        count = sum(len(holder[name]) for holder in holders if isinstance(holder.get(name), list))
        if count:
            yield Skipped(f"{origin}#{name}", f"{count} {reason}")
    if any(isinstance(holder.get("system"), str) for holder in [document, *agents]):
        yield Skipped(f"{origin}#system", "the agent's instructions; memories are about a project")
