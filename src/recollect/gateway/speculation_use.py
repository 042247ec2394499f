"""What calls that ran ahead saved and wasted: the receipts of speculation, apart from those of agents' calls.

They count neither as calls of an agent nor as failures of a tool, so that nothing is learned from a guess.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class SpeculationUse:
    """Calls of one tool that were predicted, on servers where they may run ahead; one of them, or a sum.

    `started` ran ahead, `succeeded` gave a result, `hits` were used by a real call. `saved_ms` is the time
    that real calls did not wait, `wasted_ms` the time of calls that nobody used.
    """

    server: str
    tool: str
    predicted: int = 0
    started: int = 0
    succeeded: int = 0
    hits: int = 0
    saved_ms: float = 0.0
    wasted_ms: float = 0.0
    dollars: float = 0.0
    wasted_dollars: float = 0.0

    def less(self, earlier: "SpeculationUse") -> "SpeculationUse":
        """What came after an earlier sum."""
        pairs = zip(astuple(self)[2:], astuple(earlier)[2:], strict=True)
        return SpeculationUse(self.server, self.tool, *(now - then for now, then in pairs))

    @property
    def acceptance(self) -> float:
        """The share of predicted calls that ran ahead."""
        return _share(self.started, self.predicted)

    @property
    def success(self) -> float:
        """The share of calls ahead that gave a result."""
        return _share(self.succeeded, self.started)

    @property
    def hit_rate(self) -> float:
        """The share of calls ahead that a real call used."""
        return _share(self.hits, self.started)

    @property
    def waste(self) -> float:
        """The share of calls ahead that nobody used."""
        return 1 - self.hit_rate if self.started else 0.0


def total(uses: Iterable[SpeculationUse]) -> SpeculationUse:
    """The sum, under no name."""
    columns = list(zip(*(astuple(use)[2:] for use in uses), strict=True))
    if not columns:
        return SpeculationUse("", "")
    return SpeculationUse("", "", *map(sum, columns))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
