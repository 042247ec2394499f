"""Numbers about this process for Prometheus: what was asked, how it ended and how long it took.

Labels have few values each: routes and names of tools, never ids. The text follows exposition format 0.0.4.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

# Seconds: from a cached answer to the longest that a tool may take.
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
REQUESTS, REQUEST_SECONDS = "recollect_requests_total", "recollect_request_seconds"
TOOL_CALLS, TOOL_SECONDS = "recollect_tool_calls_total", "recollect_tool_call_seconds"
_HELP = {
    REQUESTS: "Requests to the API, by route and status code.",
    REQUEST_SECONDS: "How long requests to the API took.",
    TOOL_CALLS: "Calls of MCP tools, by tool and how they ended.",
    TOOL_SECONDS: "How long calls of MCP tools took.",
}

Labels: TypeAlias = tuple[tuple[str, str], ...]
Gauges = Callable[[], Mapping[str, float]]


@dataclass(slots=True)
class _Histogram:
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    total: float = 0.0


class Metrics:
    """Counters and histograms of one process. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[Labels, int]] = {}
        self._histograms: dict[str, dict[Labels, _Histogram]] = {}
        self._gauges: list[Gauges] = []

    def count(self, name: str, **labels: str) -> None:
        """One more."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            series = self._counts.setdefault(name, {})
            series[key] = series.get(key, 0) + 1

    def observe(self, name: str, seconds: float, **labels: str) -> None:
        """One that took so long."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            histogram = self._histograms.setdefault(name, {}).setdefault(key, _Histogram())
            histogram.buckets[bisect_left(BOUNDS, seconds)] += 1
            histogram.total += seconds

    def watch(self, gauges: Gauges) -> None:
        """Ask for these values, by their names, whenever the metrics are read."""
        self._gauges.append(gauges)

    def text(self) -> str:
        """Everything, in the text format of Prometheus."""
        gauges = [pair for read in self._gauges for pair in sorted(read().items())]
        with self._lock:
            lines = [*self._counter_lines(), *self._histogram_lines()]
        for name, value in gauges:
            lines += [f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join([*lines, ""])

    def _counter_lines(self) -> Iterator[str]:
        for name, series in sorted(self._counts.items()):
            yield from _head(name, "counter")
            for labels, count in sorted(series.items()):
                yield f"{name}{_labels(labels)} {count}"

    def _histogram_lines(self) -> Iterator[str]:
        for name, series in sorted(self._histograms.items()):
            yield from _head(name, "histogram")
            for labels, histogram in sorted(series.items()):
                below = 0
                for bound, count in zip((*BOUNDS, "+Inf"), histogram.buckets, strict=True):
                    below += count
                    yield f"{name}_bucket{_labels((*labels, ('le', str(bound))))} {below}"
                yield f"{name}_sum{_labels(labels)} {histogram.total:.6f}"
                yield f"{name}_count{_labels(labels)} {below}"


METRICS = Metrics()  # of this process


def _head(name: str, kind: str) -> Iterator[str]:
    if name in _HELP:
        yield f"# HELP {name} {_HELP[name]}"
    yield f"# TYPE {name} {kind}"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
