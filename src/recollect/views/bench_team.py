"""What `bench team` prints."""

from typing import TypedDict


class LatencyPair(TypedDict):
    """The median and the 95th percentile, in milliseconds."""

    p50_ms: float
    p95_ms: float


class TeamLoadRow(TypedDict):
    """A load and how it was answered.

    `lost` memories were acknowledged and are gone; `foreign` ones are another project's.
    """

    projects: int
    operations: int
    per_second: float
    p50_ms: float
    p95_ms: float
    by_kind: dict[str, LatencyPair]
    errors: int
    first_error: str
    lost: int
    foreign: int


class BenchTeamOutput(TypedDict):
    """`bench team`: the load of a team on its database, twice the projects, and the embedded default."""

    p50_ms: float
    p95_ms: float
    per_second: float
    projects: int
    seconds: float
    rate: float
    team: TeamLoadRow
    twice: TeamLoadRow
    embedded: TeamLoadRow
    twice_over_team_p95: float
    team_over_embedded_p95: float
