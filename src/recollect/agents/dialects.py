"""The dialects by the harness's name. Looking one up imports its adapter and no other."""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from recollect.agents.event import Event, HookReply, Kind

    class Adapter(Protocol):
        """A module of one dialect: events in, answers out. It opens no file and never raises."""

        KINDS: dict[str, Kind]
        CONTEXT: frozenset[Kind]

        def read(self, name: str, payload: Mapping[str, Any]) -> Event: ...
        def write(self, event: Event, reply: HookReply) -> str: ...


class Dialect(Frozen):
    """One harness's dialect; its adapter is imported when it is first asked for something."""

    harness: str
    module: str

    @property
    def adapter(self) -> Adapter:
        """The module that speaks it."""
        found: Adapter = __import__(f"recollect.agents.{self.module}", fromlist=["read"])
        return found

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What each event that we know by name is."""
        return self.adapter.KINDS

    def read(self, name: str, payload: Mapping[str, Any]) -> Event:
        """The event in `payload`; what is missing, unknown or of a wrong type is left empty."""
        return self.adapter.read(name, payload)

    def write(self, event: Event, reply: HookReply) -> str:
        """What to print; '' for nothing. What this harness cannot be told is left out."""
        return self.adapter.write(event, reply)

    def takes_context(self, kind: Kind) -> bool:
        """Whether text answered to such an event reaches the conversation at all."""
        return kind in self.adapter.CONTEXT


DIALECTS: dict[str, Dialect] = {
    "claude-code": Dialect("claude-code", "claude_code"),
    "codex": Dialect("codex", "codex"),
    "cursor": Dialect("cursor", "cursor"),
    "gemini": Dialect("gemini", "gemini"),
    "opencode": Dialect("opencode", "opencode"),
}
