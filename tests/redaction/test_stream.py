"""Redacting a text piece by piece gives what redacting all of it gives."""

import random

import pytest
from tests.requirements import requirement

from recollect.redaction import stream
from recollect.redaction.redact import redact
from recollect.redaction.spans import Span
from recollect.redaction.stream import redacted_pieces

KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEowIBAAKCAQEAx7Qp2Lm9Rt4Vw8Zk\n" * 12
    + "-----END RSA PRIVATE KEY-----\n"
)
LINES = (
    "2026-11-17 INFO request handled in 12 ms\n",
    "export GITHUB_TOKEN=ghp_" + "x7Qp2Lm9Rt4Vw8Zk" * 2 + "Ab3D\n",
    "password:\n  hunter2-and-more-9471\n",
    KEY,
    "nothing to see here\n",
)


def find(text: str) -> list[Span]:
    return redact(text)[1]


@requirement("redaction:stream:same")
@pytest.mark.parametrize("seed", range(6))
def test_pieces_of_any_size_give_what_the_whole_text_gives(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "WINDOW", 1500)
    monkeypatch.setattr(stream, "_MARGIN", 600)
    draw = random.Random(seed)
    text = "".join(draw.choice(LINES) for _ in range(60))
    chunks, rest = [], text
    while rest:
        size = draw.randint(1, 900)
        chunks.append(rest[:size])
        rest = rest[size:]

    pieces = list(redacted_pieces(chunks, find))

    whole, spans = redact(text)
    assert "".join(piece.text for piece in pieces) == whole
    assert "".join(piece.original for piece in pieces) == text
    assert sum(len(piece.spans) for piece in pieces) == len(spans)
    assert len(pieces) > 3


@requirement("redaction:stream:bounded")
def test_no_more_than_a_window_is_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "WINDOW", 10_000)
    longest = 0

    def seen(text: str) -> list[Span]:
        nonlocal longest
        longest = max(longest, len(text))
        return []

    for _ in redacted_pieces(("a line of a log\n" * 50 for _ in range(2000)), seen):
        pass

    assert longest < 10_000 + stream._CONTEXT + stream._MARGIN


def test_lines_are_counted_over_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "WINDOW", 300)
    monkeypatch.setattr(stream, "_MARGIN", 100)
    text = "plain\n" * 200 + LINES[1]

    last = list(redacted_pieces([text], find))[-1]
    [span] = last.spans

    assert last.line + last.original.count("\n", 0, span.start) == 201
