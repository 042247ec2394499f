"""How long the last calls of each door took, read from the file that `process.record_latency` writes."""

import os
from dataclasses import dataclass

from recollect.hook.process import DOORS, LATENCY_DOOR_BYTES, LATENCY_NAME, LATENCY_SAMPLES
from recollect.paths import read_plain


@dataclass(frozen=True, slots=True)
class Latency:
    """The calls of a door so far, and milliseconds of the last ones: half and 95% took at most so long."""

    door: str
    calls: int
    p50: float
    p95: float


def read_latencies(state: str) -> list[Latency]:
    """One row for each door that was used. A hook's time is without the start of Python."""
    try:
        data = read_plain(os.path.join(state, LATENCY_NAME), LATENCY_DOOR_BYTES * len(DOORS))
    except OSError:
        return []
    regions = (
        data[place * LATENCY_DOOR_BYTES : (place + 1) * LATENCY_DOOR_BYTES]
        for place in range(len(DOORS))
    )
    rows = (_latency(door, region) for door, region in zip(DOORS, regions, strict=True))
    return [row for row in rows if row is not None]


def _latency(door: str, region: bytes) -> Latency | None:
    numbers = [int.from_bytes(region[at : at + 4], "little") for at in range(0, len(region), 4)]
    if not numbers or not numbers[0]:
        return None
    samples = sorted(numbers[1 : 1 + min(numbers[0], LATENCY_SAMPLES)])
    return Latency(door, numbers[0], _percentile(samples, 50), _percentile(samples, 95))


def _percentile(samples: list[int], percent: int) -> float:
    """The nearest rank, in milliseconds."""
    rank = -(-len(samples) * percent // 100)
    return round(samples[max(rank, 1) - 1] / 1000, 2) if samples else 0.0
