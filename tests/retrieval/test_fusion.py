"""Several rankings in, one out."""

import random
from collections.abc import Sequence
from math import log
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.retrieval.fusion import (
    CONVERGENCE,
    DEPTH,
    FUSIONS,
    by_rank,
    by_recency,
    by_score,
)
from recollect.retrieval.index import Key

Ranking: TypeAlias = Sequence[tuple[Key, float]]

WEIGHTS = {"lexical": 0.5, "vector": 0.5, "files": 0.3}
A, B, C, D = map(Key, range(1, 5))


def scores(fusion: str, channels: dict[str, Ranking]) -> dict[Key, float]:
    return {key: fused.score for key, fused in FUSIONS[fusion](channels, WEIGHTS).items()}


@requirement("retrieval:fusion:by-score")
def test_by_score_is_the_weighted_mean_of_scaled_scores() -> None:
    """Words scale from 0 (a half of 8 is .5); cosines from the last that counts (.8 of .9 and .7)."""
    found = scores(
        "score",
        {"lexical": [(A, 8.0), (B, 4.0)], "vector": [(B, 0.9), (C, 0.8), (D, 0.7)], "files": []},
    )

    assert found == pytest.approx({A: 0.5, B: 0.25 + 0.5, C: 0.25, D: 0.0})


@requirement("retrieval:fusion:by-score")
def test_by_score_a_channel_that_found_nothing_does_not_count() -> None:
    alone = scores("score", {"lexical": [(A, 3.0)], "vector": [], "files": []})
    three = scores("score", {"lexical": [(A, 3.0)], "vector": [(A, 0.5)], "files": [(A, 2.0)]})

    assert alone == pytest.approx({A: 1.0})
    assert three == pytest.approx({A: 1.0})


@requirement("retrieval:fusion:by-rank")
def test_by_rank_is_the_sum_of_reciprocal_ranks_with_a_bonus_for_what_two_found() -> None:
    found = scores("rank", {"lexical": [(A, 8.0), (B, 4.0)], "vector": [(B, 0.9), (C, 0.8)]})

    most = (0.5 + 0.5) / 61 * 1.1
    assert found == pytest.approx(
        {A: 0.5 / 61 / most, B: (0.5 / 62 + 0.5 / 61) * 1.1 / most, C: 0.5 / 62 / most}
    )
    assert by_rank({"lexical": [(A, 1.0)], "files": [(A, 1.0)]}, WEIGHTS)[A].bonus == CONVERGENCE


@requirement("retrieval:fusion:by-rank")
def test_by_rank_the_first_of_every_channel_scores_one() -> None:
    every: dict[str, Ranking] = {channel: [(A, 1.0)] for channel in WEIGHTS}

    assert scores("rank", every) == pytest.approx({A: 1.0})


def test_only_the_first_hundred_of_a_channel_count() -> None:
    long = [(Key(number), 1000.0 - number) for number in range(150)]

    for fusion in FUSIONS.values():
        assert len(fusion({"lexical": long}, WEIGHTS)) == DEPTH
    assert by_score({"vector": long}, WEIGHTS)[Key(DEPTH - 1)].score == 0


def test_nothing_found_is_nothing() -> None:
    assert by_score({"lexical": [], "files": []}, WEIGHTS) == {}
    assert by_rank({}, WEIGHTS) == {}


@st.composite
def rankings(draw: st.DrawFn) -> dict[str, Ranking]:
    found: dict[str, Ranking] = {}
    for channel in WEIGHTS:
        keys = draw(st.lists(st.integers(1, 6), unique=True, max_size=6))
        raw = draw(st.lists(st.floats(1e-6, 50), min_size=len(keys), max_size=len(keys)))
        found[channel] = list(zip(map(Key, keys), sorted(raw, reverse=True), strict=True))
    return found


@requirement("retrieval:fusion:range")
@given(rankings(), st.sampled_from(sorted(FUSIONS)))
def test_scores_are_between_nothing_and_one(channels: dict[str, Ranking], fusion: str) -> None:
    for score in scores(fusion, channels).values():
        assert 0 <= score <= 1 + 1e-12


@given(rankings(), st.sampled_from(sorted(FUSIONS)), st.integers())
def test_the_order_in_which_channels_come_changes_no_bit(
    channels: dict[str, Ranking], fusion: str, seed: int
) -> None:
    shuffled = list(channels.items())
    random.Random(seed).shuffle(shuffled)

    assert scores(fusion, dict(shuffled)) == scores(fusion, channels)


@given(rankings(), st.sampled_from(sorted(FUSIONS)))
def test_the_parts_of_a_document_make_its_score(channels: dict[str, Ranking], fusion: str) -> None:
    for key, fused in FUSIONS[fusion](channels, WEIGHTS).items():
        assert {part.channel for part in fused.parts} == {
            channel for channel, ranking in channels.items() if key in dict(ranking)
        }
        total = sum(part.scaled * part.weight for part in fused.parts)
        assert fused.score == pytest.approx(total * (1 + fused.bonus) / fused.scale, abs=1e-12)


def test_recency_falls_with_the_logarithm_of_the_place() -> None:
    assert dict(by_recency([A, B, C])) == pytest.approx(
        {A: 1.0, B: 1 - log(2) / log(4), C: 1 - log(3) / log(4)}
    )
    assert by_recency([A]) == []
