"""What is stored beside memories, as the application asks for it: the ports of one project and of one user.

Each port is declared where it is used; an engine provides them together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from recollect.working.ports import SessionDatabase

if TYPE_CHECKING:  # so that a command about memories does not load the gateway
    from contextlib import AbstractContextManager

    from recollect.gateway.ports import (
        Catalogue,
        ObservedSchemas,
        Pins,
        PolicyRules,
        Projections,
        Receipts,
        Speculations,
        ToolGraphStore,
    )
    from recollect.learning.ports import (
        CapabilityStore,
        EpisodeStore,
        SequenceStore,
        ThresholdStore,
        TraceStore,
    )
    from recollect.workflow.ports import Grants, Journal


class StateStores(SessionDatabase, Protocol):
    """Sessions, runs and what was learned in one project."""

    @property
    def journal(self) -> Journal: ...
    @property
    def grants(self) -> Grants: ...
    @property
    def tool_graph(self) -> ToolGraphStore: ...
    @property
    def sequences(self) -> SequenceStore: ...
    @property
    def capabilities(self) -> CapabilityStore: ...
    @property
    def episodes(self) -> EpisodeStore: ...
    @property
    def thresholds(self) -> ThresholdStore: ...
    @property
    def traces(self) -> TraceStore: ...

    def erase(self, id: str) -> bool:
        """Erase what is recorded about a memory; False while another process is in the way."""
        ...


class GatewayStores(Protocol):
    """What the gateway knows of one user's servers."""

    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def receipts(self) -> Receipts: ...
    @property
    def speculations(self) -> Speculations: ...
    @property
    def pins(self) -> Pins: ...
    @property
    def observed(self) -> ObservedSchemas: ...
    @property
    def policy(self) -> PolicyRules: ...
    @property
    def projections(self) -> Projections: ...

    def transaction(self, *, of_a_call: bool = False) -> AbstractContextManager[None]:
        """Read, compute and write without another writer in between; inside another one, as a part of it.

        What is written down `of_a_call` leaves `version` as it is: no call depends on it.
        """
        ...

    def version(self) -> int:
        """A number that grows when anybody changes what calls depend on."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
