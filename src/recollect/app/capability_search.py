"""Finding capabilities beside tools: by words at once, by meaning where the tools are searched so."""

from collections.abc import Mapping, Sequence

from recollect.app.tool_search import ToolSearch
from recollect.errors import ModelError
from recollect.learning.capabilities import stale_tools
from recollect.learning.capability_search import CapabilityHit, as_tool, fitting_capabilities
from recollect.learning.ports import CapabilityStore


class CapabilitySearch:
    """The capabilities of a project as they are now. Vectors are used again by the next search."""

    def __init__(self, store: CapabilityStore) -> None:
        self._store = store
        self._search: ToolSearch | None = None

    def find(self, text: str, tools: ToolSearch) -> Sequence[CapabilityHit]:
        """The capabilities that fit a request; stale ones do not. Raises StoreError."""
        capabilities = [each for each in self._store.all() if not stale_tools(each, tools.by_id)]
        if not capabilities:
            return ()
        self._search = tools.beside([as_tool(each) for each in capabilities], self._search)
        cosines = self._cosines(text, self._search) if tools.by_meaning else {}
        return fitting_capabilities(text, capabilities, tools.index.words, cosines)

    def _cosines(self, text: str, search: ToolSearch) -> Mapping[str, float | None]:
        """How near each capability is, by name; nothing when the model fails."""
        try:
            search.embed()
            if search.vectors is None:
                return {}
            nearness = search.vectors.cosines(text)
        except ModelError:
            return {}
        return dict(zip((tool.name for tool in search.tools), nearness, strict=True))
