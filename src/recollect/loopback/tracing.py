"""Spans for OpenTelemetry, where its packages are installed and an endpoint is configured; else nothing.

`OTEL_EXPORTER_OTLP_ENDPOINT` switches it on, as in any program that OpenTelemetry traces. A span has the
route or the tool, the role and how it ended, and no argument, id or token.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@contextmanager
def span(name: str, **attributes: str) -> Iterator[dict[str, str]]:
    """Time some work. What is put into the dictionary by its end becomes attributes too."""
    later: dict[str, str] = {}
    tracer = _tracer()
    if tracer is None:
        yield later
        return
    with tracer.start_as_current_span(name, attributes=attributes) as open_span:
        try:
            yield later
        finally:
            open_span.set_attributes(later)


@cache
def _tracer() -> Any:
    if not os.environ.get(ENDPOINT):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - optional
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ModuleNotFoundError:
        return None
    provider = TracerProvider(resource=Resource.create({"service.name": "recollect"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("recollect")
