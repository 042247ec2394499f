"""Storing how runs went, and finding that again when something alike is planned."""

from recollect.app.tool_search import ToolSearch
from recollect.gateway.tool import UpstreamTool
from recollect.learning.episodes import EarlierEpisode, episode_of, similar
from recollect.learning.ports import EpisodeStore
from recollect.learning.trace import context_digest
from recollect.records.redaction_port import RedactionGate
from recollect.workflow.run_state import RunState

_COMPARED = 32  # episodes whose intents are embedded: a plan waits for that


def learn_episode(store: EpisodeStore, state: RunState, at: str, gate: RedactionGate) -> None:
    """Store how a run went, without secrets. Raises StoreError."""
    episode = episode_of(state, at, lambda text: str(gate(text)[0]))
    if episode is not None:
        store.add(episode)


class EpisodeSearch:
    """The episodes of a project as they are now. Vectors are used again by the next search."""

    def __init__(self, store: EpisodeStore) -> None:
        self._store = store
        self._search: ToolSearch | None = None

    def find(self, text: str, tools: ToolSearch) -> EarlierEpisode | None:
        """How the same request went last time, else a similar one by meaning. Raises StoreError."""
        same = self._store.of_context(context_digest(text))
        if same is not None:
            return EarlierEpisode(same, is_same=True)
        episodes = self._store.latest(_COMPARED) if tools.by_meaning else ()
        if not episodes:
            return None
        intents = [UpstreamTool("", intent) for intent in {each.intent: None for each in episodes}]
        self._search = tools.beside(intents, self._search)
        return similar(episodes, self._search.cosines(text))
