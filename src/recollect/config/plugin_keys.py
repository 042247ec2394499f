"""Keys of the claude-memory plugin, whose configuration file is also ours: those that mean nothing here.

What the plugin and Recollect share (`retrieval.enabled`, `retrieval.max_inject`, `retrieval.match_strategy`,
`retention_days`, `max_retained`, `delete.grace_period_days`) is read as it is.
"""

from collections.abc import Mapping
from typing import Any

from recollect.config import at_key

_KEYS = (
    *("memory_root", "auto_commit", "max_memories_per_category", "triage", "logging"),
    *("retrieval.engine", "retrieval.auto_inject", "retrieval.search"),
    *("retrieval.transcript_context", "retrieval.confidence_annotation"),
    *("retrieval.output_mode", "retrieval.judge", "delete.archive_retired"),
)
_OF_CATEGORY = ("enabled", "folder", "auto_capture", "description")


def without_meaning(content: Mapping[str, Any]) -> list[str]:
    """The plugin's keys in this content that nothing reads, each once; `*` stands for any category."""
    keys = [key for key in _KEYS if at_key(content, key) is not None]
    categories = at_key(content, "categories")
    sections = categories.values() if isinstance(categories, dict) else ()
    names = {name for section in sections if isinstance(section, dict) for name in section}
    return [*keys, *(f"categories.*.{name}" for name in _OF_CATEGORY if name in names)]
