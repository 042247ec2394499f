"""Finding capabilities beside tools: by words at once, by meaning where the tools are searched so."""

from collections.abc import Sequence
from pathlib import Path

from recollect.app.gateway import Gateway
from recollect.app.tool_experience import records_state
from recollect.app.tool_search import ToolSearch
from recollect.errors import RecollectError
from recollect.learning.capabilities import stale_tools
from recollect.learning.capability_search import (
    CapabilityHit,
    as_tool,
    fitting,
    scored_capabilities,
)
from recollect.learning.ports import CapabilityStore


class CapabilitySearch:
    """The capabilities of a project as they are now. Vectors are used again by the next search."""

    def __init__(self, store: CapabilityStore) -> None:
        self._store = store
        self._search: ToolSearch | None = None

    def find(self, text: str, tools: ToolSearch) -> Sequence[CapabilityHit]:
        """Every capability that is not stale, by how well it fits a request. Raises StoreError."""
        capabilities = [each for each in self._store.all() if not stale_tools(each, tools.by_id)]
        if not capabilities:
            return ()
        self._search = tools.beside([as_tool(each) for each in capabilities], self._search)
        cosines = self._search.cosines(text) if tools.by_meaning else {}
        return scored_capabilities(text, capabilities, tools.index.words, cosines)


def project_capabilities(
    gateway: Gateway, folder: Path, text: str, tools: ToolSearch
) -> Sequence[CapabilityHit]:
    """The capabilities of a folder's project that fit a request. Reading creates no database.

    A database that is not there or cannot be read says nothing.
    """
    try:
        state = records_state(gateway, folder)
        if not state.exists():
            return ()
        stores = state.open()
        try:
            return fitting(CapabilitySearch(stores.capabilities).find(text, tools))
        finally:
            stores.close()
    except RecollectError:
        return ()
