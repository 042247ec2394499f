"""Metrics in the text format of Prometheus, read back by its own client where that is installed."""

import re

import pytest

from recollect.loopback.metrics import BOUNDS, Metrics


def values(text: str) -> dict[str, float]:
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if not line.startswith("#")
    }


def test_counts_are_kept_by_their_labels() -> None:
    metrics = Metrics()
    metrics.count("asked_total", route="runs", code="200")
    metrics.count("asked_total", code="200", route="runs")
    metrics.count("asked_total", route="runs", code="404")

    assert values(metrics.text()) == {
        'asked_total{code="200",route="runs"}': 2,
        'asked_total{code="404",route="runs"}': 1,
    }


def test_a_histogram_counts_what_is_at_most_each_bound() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.004, 7.0, 1_000.0):
        metrics.observe("took_seconds", seconds)

    shown = values(metrics.text())

    assert shown['took_seconds_bucket{le="0.001"}'] == 1
    assert shown['took_seconds_bucket{le="0.005"}'] == 2
    assert shown['took_seconds_bucket{le="60.0"}'] == 3
    assert shown['took_seconds_bucket{le="+Inf"}'] == shown["took_seconds_count"] == 4
    assert shown["took_seconds_sum"] == pytest.approx(1_007.005)
    assert len([name for name in shown if "_bucket" in name]) == len(BOUNDS) + 1


def test_gauges_are_asked_when_the_metrics_are_read() -> None:
    metrics, pool = Metrics(), {"pool_size": 1.0}
    metrics.watch(lambda: pool)
    pool["pool_size"] = 7.0

    assert values(metrics.text()) == {"pool_size": 7.0}


def test_labels_are_escaped() -> None:
    metrics = Metrics()
    metrics.count("asked_total", tool='a"b\\c\nd')

    assert re.search(r'asked_total\{tool="a\\"b\\\\c\\nd"\} 1', metrics.text())


def test_the_client_of_prometheus_reads_it() -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    metrics = Metrics()
    metrics.count("recollect_requests_total", route='x"', code="200")
    metrics.observe("recollect_request_seconds", 0.3, route="x")
    metrics.watch(lambda: {"recollect_pool_size": 3})

    families = {family.name: family for family in parser.text_string_to_metric_families(metrics.text())}

    assert families["recollect_requests"].samples[0].value == 1
    assert families["recollect_request_seconds"].type == "histogram"
    assert families["recollect_pool_size"].samples[0].value == 3
