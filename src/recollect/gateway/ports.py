"""What the gateway stores, as ports: adapters keep it, and one conformance suite tests them all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.gateway.tool import UpstreamTool


@dataclass(frozen=True, slots=True)
class CatalogueChange:
    """What a new list of a server's tools changed, by the names of tools."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class Catalogue(Protocol):
    """Every tool that a server has listed. It answers before any server is started."""

    def tools(self) -> Sequence[UpstreamTool]:
        """All tools, ordered by server and name."""
        ...

    def listed(self) -> Mapping[str, str]:
        """When each known server last listed its tools."""
        ...

    def record(self, server: str, tools: Sequence[UpstreamTool], at: str) -> CatalogueChange:
        """Replace the tools of a server with the list that it gave `at` that time."""
        ...

    def forget(self, server: str) -> None:
        """Drop a server and its tools; an unknown one is no error."""
        ...
