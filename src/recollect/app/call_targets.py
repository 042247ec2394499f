"""What a call of an upstream tool needs to know before it leaves, looked up again only after it changed."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from recollect.app.gateway import Gateway
from recollect.app.tool_policy import HarnessRules
from recollect.app.tool_search import ToolSearch
from recollect.errors import NotFoundError
from recollect.gateway.policy import PolicyDecision, decide
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import Upstream

_SIMILAR = 3  # names that an error offers


@dataclass(frozen=True, slots=True)
class CallTarget:
    """A tool as it was accepted, its server, what policy says, and the fields of its projection."""

    tool: UpstreamTool
    upstream: Upstream
    decision: PolicyDecision
    fields: tuple[str, ...] = ()


class CallTargets:
    """The tools that a folder's clients can call. Uses the database, so that calls take turns."""

    def __init__(self, gateway: Gateway, folder: Path, sees: Callable[[str], bool]) -> None:
        self._gateway, self._sees = gateway, sees
        self._harness_rules = HarnessRules(folder, gateway.env)
        self._search: ToolSearch | None = None
        self._known: object = None
        self._version: object = None
        self._targets: dict[tuple[str, str], tuple[object, CallTarget]] = {}

    def search(self) -> ToolSearch:
        """Search over the tools as the catalogue has them now."""
        self._refresh()
        assert self._search is not None
        return self._search

    def tool(self, id: str) -> UpstreamTool:
        """One tool by its id, as a model may see it. Raises NotFoundError that offers similar ones."""
        tools = self.search().by_id
        if id in tools:
            return tools[id]
        of_name = [tool.id for tool in tools.values() if tool.name == id]
        similar = of_name or get_close_matches(id, tools, n=_SIMILAR)
        hint = (
            f"did you mean {' or '.join(map(repr, similar))}?" if similar else "discover finds tools."
        )
        raise NotFoundError(f"unknown tool {id!r}; {hint}")

    def target(self, id: str, client: str) -> CallTarget:
        """What a call of a client's goes to. Raises NotFoundError, and RefusedError for a blocked tool."""
        if (known := self.known_target(id, client)) is not None:
            return known
        shown = self.tool(id)
        state = self._state(client)
        tool = self._gateway.accepted(shown.server, shown.name)
        rules = [*self._gateway.policy.rules(), *self._harness_rules.of(client)]
        fields = self._gateway.projections.fields(tool.server, tool.name)
        target = CallTarget(tool, self._gateway.upstream(tool.server), decide(tool, rules), fields)
        self._targets[id, client] = state, target
        return target

    def known_target(self, id: str, client: str) -> CallTarget | None:
        """The target as it was looked up before, if nothing of it has changed; takes microseconds."""
        state, target = self._targets.get((id, client), (None, None))
        return target if target is not None and state == self._state(client) else None

    def _state(self, client: str) -> object:
        """All that a target depends on."""
        return (
            self._gateway.database.version(),
            self._gateway.upstreams(),
            self._harness_rules.of(client),
        )

    def _refresh(self) -> None:
        """Open search anew if a server listed other tools, a version was accepted, or servers changed."""
        version = self._gateway.database.version()
        if self._search is not None and version == self._version:
            return
        known = self._gateway.known()
        if self._search is None or known != self._known:
            self._search, self._known = self._gateway.search(self._sees, self._search), known
            self._targets.clear()
        self._version = version
