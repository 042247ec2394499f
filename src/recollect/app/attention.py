"""What a session pays attention to among the memories: those about its files, and those it made use of.

Fills the `Attention` port of retrieval from a session's working memory.
"""

from __future__ import annotations

from recollect.retrieval.index import Filters
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.graph.causal import Edges
    from recollect.ids import UnifiedId
    from recollect.retrieval.index import Index
    from recollect.working.session import WorkingMemory

ABOUT_ONE_FILE = 20  # memories; a file that more are about says little of any of them
_WHOLE = 2.0  # what the index gives for a path, against one for the bare name of a file


class SessionAttention(Frozen):
    """How much each memory matters now, and how far others are from those."""

    levels: Mapping[UnifiedId, float]
    distances: Mapping[UnifiedId, int]

    def attention(self) -> Mapping[UnifiedId, float]:
        return self.levels

    def hops(self) -> Mapping[UnifiedId, int]:
        return self.distances

    @property
    def only_linked(self) -> SessionAttention:
        """The same for what is linked alone."""
        return SessionAttention({}, self.distances)


def attention_of(
    memory: WorkingMemory,
    used: Mapping[UnifiedId, float],
    index: Index,
    edges: Edges | None = None,
) -> SessionAttention:
    """The attention of a session that has `memory` in mind and has `used` these memories, 0..1.

    Without `edges` nothing counts as connected.
    """
    levels = dict(used)
    for item, level in memory.ranked():
        for id in _about(item.paths, index):
            levels[id] = max(levels.get(id, 0.0), level)
    if edges is None or not levels:
        return SessionAttention(levels, {})
    from recollect.graph.causal import hops_from  # noqa: PLC0415 - for one boost alone

    return SessionAttention(levels, hops_from(levels, edges))


def _about(paths: Sequence[str], index: Index) -> list[UnifiedId]:
    """The memories that are about these files, by the whole path of each."""
    found: list[UnifiedId] = []
    for path in paths:
        ranking = index.by_files([path], Filters(), ABOUT_ONE_FILE + 1)
        keys = [key for key, score in ranking if score >= _WHOLE or "/" not in path]
        if len(keys) <= ABOUT_ONE_FILE:
            found += [fact.id for fact in index.facts(keys).values()]
    return found
