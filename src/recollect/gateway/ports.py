"""What the gateway stores, as ports: adapters keep it, and one conformance suite tests them all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.gateway.listing import ServerListing, UpstreamPrompt, UpstreamResource, UpstreamTemplate
from recollect.gateway.observed_schema import Observed
from recollect.gateway.pins import Pin
from recollect.gateway.policy import Effect, PolicyRule
from recollect.gateway.receipts import Receipt, ToolUse
from recollect.gateway.speculation_use import SpeculationUse
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import EdgeOrigin, EdgeType, ToolEdge
from recollect.gateway.vault.content import Part, StoredResult
from recollect.gateway.vault.projection import FieldReads, Projection


@dataclass(frozen=True, slots=True)
class CatalogueChange:
    """What a new list of a server's tools changed, by the names of tools. Of `repeated` the first counts."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


class Catalogue(Protocol):
    """Every tool, resource and prompt that a server has listed. It answers before any server is started."""

    def tools(self) -> Sequence[UpstreamTool]:
        """All tools, ordered by server and name."""
        ...

    def tool(self, server: str, name: str) -> UpstreamTool | None:
        """One tool as it was last listed."""
        ...

    def resources(self) -> Sequence[UpstreamResource]:
        """All resources, ordered by server and address."""
        ...

    def templates(self) -> Sequence[UpstreamTemplate]:
        """All resource templates, ordered by server and pattern."""
        ...

    def prompts(self) -> Sequence[UpstreamPrompt]:
        """All prompts, ordered by server and name."""
        ...

    def listed(self) -> Mapping[str, str]:
        """When each known server last listed its tools."""
        ...

    def revision(self) -> object:
        """A value that is another one when a tool was added, removed or changed."""
        ...

    def has(self, server: str, listing: ServerListing) -> bool:
        """Whether a server has listed precisely this before; lists that it did not answer do not count."""
        ...

    def record(self, server: str, listing: ServerListing, at: str) -> CatalogueChange:
        """Replace what a server offers with what it listed `at` that time; only what differs is written."""
        ...

    def forget(self, server: str) -> None:
        """Drop a server and what it offers; an unknown one is no error."""
        ...


class Receipts(Protocol):
    """What calls cost, summed for each day and tool, so that it grows with days and not with calls."""

    def record(self, receipt: Receipt, day: str) -> None:
        """Add one call, made on a day such as `2026-11-16`."""
        ...

    def record_read(self, server: str, tool: str, tokens: int, day: str) -> None:
        """Add what an agent read out of a stored result of a tool."""
        ...

    def uses(self, since: str = "") -> Sequence[ToolUse]:
        """Every tool that was called on this day or later, ordered by server and tool."""
        ...


class Speculations(Protocol):
    """What calls that ran ahead saved and wasted, summed for each day and tool."""

    def record(self, use: SpeculationUse, day: str) -> None:
        """Add to the sums of a tool, on a day such as `2026-11-16`."""
        ...

    def uses(self, since: str = "") -> Sequence[SpeculationUse]:
        """Every tool that was predicted on this day or later, ordered by server and tool."""
        ...


class Pins(Protocol):
    """The accepted version of every tool. A pin outlives the tool and its server."""

    def all(self) -> Mapping[str, Pin]:
        """Every pin by the id of its tool."""
        ...

    def get(self, server: str, name: str) -> Pin | None:
        """The pin of one tool."""
        ...

    def newest(self) -> str:
        """When a version was last accepted; empty before the first."""
        ...

    def first_use(self, server: str, tools: Sequence[UpstreamTool], origin: str, at: str) -> None:
        """Pin the tools that have no pin yet. `origin` says what the server runs.

        A server without pins gets those of a server with the same origin: it was renamed.
        """
        ...

    def accept(self, tool: UpstreamTool, at: str, by: str) -> None:
        """Replace the pin of a tool with this version."""
        ...

    def reject(self, tool: UpstreamTool) -> None:
        """Note that a person refused this version; the pin stays. A tool without pin is no error."""
        ...


class ObservedSchemas(Protocol):
    """What results of tools look like, learned from calls."""

    def get(self, server: str, name: str) -> Observed | None:
        """What the results of a tool showed so far."""
        ...

    def refine(self, server: str, name: str, seen: Observed) -> None:
        """Merge what one more result showed."""
        ...


class PolicyRules(Protocol):
    """The rules that a user made about tools."""

    def rules(self) -> Sequence[PolicyRule]:
        """Every rule, ordered by pattern."""
        ...

    def put(self, effect: Effect, pattern: str) -> None:
        """Make a rule, in place of the one of this pattern."""
        ...

    def remove(self, pattern: str) -> bool:
        """Remove the rule of a pattern; false if there is none."""
        ...


class Projections(Protocol):
    """What agents read out of large results, and which fields previews show. Bounded for each tool."""

    def read(self, server: str, tool: str, field: str, result: str) -> None:
        """Note that a field was read in a result, which a digest names."""
        ...

    def reads(self) -> Sequence[FieldReads]:
        """Every field that was read, ordered by server, tool and field."""
        ...

    def accepted(self) -> Sequence[Projection]:
        """The projections that a person accepted, ordered by server and tool."""
        ...

    def fields(self, server: str, tool: str) -> tuple[str, ...]:
        """The fields of the accepted projection of a tool; none without one."""
        ...

    def accept(self, projection: Projection, at: str) -> None:
        """Accept a projection, in place of the one of this tool."""
        ...

    def remove(self, server: str, tool: str) -> bool:
        """Forget the projection of a tool and what was read of it; false if there is no projection."""
        ...


class ToolGraphStore(Protocol):
    """Which tools of a project were called after which. Bounded: the edges seen longest ago make room."""

    def observe(
        self,
        source: str,
        target: str,
        at: str,
        type: EdgeType = "sequence",
        origin: EdgeOrigin = "inferred",
    ) -> None:
        """Count that one tool was called after another or needed it, by their ids.

        With `contains` the source is a capability. What nobody ran here is a template, until it is run.
        """
        ...

    def edges(self) -> Sequence[ToolEdge]:
        """All edges, ordered by source and target."""
        ...


class Vault(Protocol):
    """Results of one project that were too large for a reply. What it gets has passed the redaction gate.

    A handle cannot be guessed. A result is there completely or not at all, and expires.
    """

    def put(self, tool: str, parts: Sequence[Part]) -> StoredResult:
        """Store a result. Raises StoreError when there is no room; older results make some."""
        ...

    def get(self, handle: str) -> StoredResult:
        """A result with all its parts. Raises NotFoundError for a handle that is unknown or has expired."""
        ...


class Secrets(Protocol):
    """Values that stand in no file of ours, by name. Methods raise StoreError if they are out of reach."""

    def get(self, name: str) -> str | None:
        """One secret; None for none."""
        ...

    def put(self, name: str, value: str) -> None:
        """Store a secret, in place of an older one of that name."""
        ...

    def remove(self, name: str) -> bool:
        """Forget a secret; False if there was none."""
        ...

    def names(self) -> Sequence[str]:
        """The names of all secrets, in order."""
        ...
