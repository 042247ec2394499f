"""Spans: none without an endpoint; with OpenTelemetry each request and call is one, without arguments."""

from collections.abc import Iterator

import pytest

from recollect.loopback import tracing


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    tracer = tracing._tracer
    tracer.cache_clear()
    yield
    tracer.cache_clear()


def test_without_an_endpoint_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tracing.ENDPOINT, raising=False)

    with tracing.span("work", tool="x") as attributes:
        attributes["outcome"] = "done"

    assert tracing._tracer() is None


def test_a_span_has_what_was_known_first_and_last(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_tracer", lambda: provider.get_tracer("test"))

    with tracing.span("tools/call", tool="memory_search") as attributes:
        attributes["outcome"] = "done"

    [span] = exporter.get_finished_spans()
    assert span.name == "tools/call"
    assert dict(span.attributes) == {"tool": "memory_search", "outcome": "done"}
