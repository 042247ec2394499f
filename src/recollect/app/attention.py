"""What does a session pay attention to? The memories about its files, and those it used.

Builds the `Attention` of retrieval from a session's working memory, for hooks, servers and commands.
"""

from __future__ import annotations

from recollect.retrieval.boosts import Attention
from recollect.retrieval.index import Filters
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recollect.config import Config
    from recollect.graph.causal import Edges
    from recollect.ids import UnifiedId
    from recollect.retrieval.index import Index
    from recollect.working.recorder import SessionRecorder
    from recollect.working.session import WorkingMemory

ABOUT_ONE_FILE = 20  # memories; a file that more are about says little of any of them
_FULL_PATH = 2.0  # the index's score for a path; the bare name of a file scores one


class AttentionBoosts(Frozen):
    """Which boosts are on: for what the session attends to, and for what is linked to that."""

    session: bool
    causal: bool

    def __bool__(self) -> bool:
        return self.session or self.causal


def boosts_of(config: Config) -> AttentionBoosts:
    """The boosts that a configuration switches on."""
    return AttentionBoosts(config.working.session_boost, config.working.causal_boost)


def session_attention(
    session: str,
    recorder: SessionRecorder,
    index: Index,
    edges: Callable[[], Edges],
    boosts: AttentionBoosts,
) -> Attention | None:
    """What this session pays attention to, as far as boosts are on; None when all are off.

    `edges` opens the links between memories, which one boost alone needs.
    """
    if not boosts:
        return None
    memory, used = recorder.stores.sessions.memory(session), recorder.used(session)
    attention = attention_of(memory, used, index, edges() if boosts.causal else None)
    return attention if boosts.session else Attention({}, attention.hops)


def attention_of(
    memory: WorkingMemory,
    used: Mapping[UnifiedId, float],
    index: Index,
    edges: Edges | None = None,
) -> Attention:
    """The attention of a session with these items that has `used` these memories, 0..1.

    Without `edges` no memory counts as linked.
    """
    levels = dict(used)
    for item, level in memory.ranked():
        for id in _about(item.paths, index):
            levels[id] = max(levels.get(id, 0.0), level)
    if edges is None or not levels:
        return Attention(levels, {})
    from recollect.graph.causal import hops_from  # noqa: PLC0415 - for one boost alone

    return Attention(levels, hops_from(levels, edges))


def _about(paths: Sequence[str], index: Index) -> list[UnifiedId]:
    """The memories that are about these files, by the full path of each."""
    ids: list[UnifiedId] = []
    for path in paths:
        ranking = index.by_files([path], Filters(), ABOUT_ONE_FILE + 1)
        keys = [key for key, score in ranking if score >= _FULL_PATH or "/" not in path]
        if len(keys) <= ABOUT_ONE_FILE:
            ids += [fact.id for fact in index.facts(keys).values()]
    return ids
