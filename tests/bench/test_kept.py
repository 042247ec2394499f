"""Results that are kept, and what the next run makes of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.bench.kept import Regression, read, regressions, write
from recollect.errors import InvalidError, StoreError


def result(name: str = "pets", /, **strategies: tuple[float, float, float]) -> dict[str, Any]:
    """A result: for each strategy an nDCG with its interval."""
    rows = {
        strategy: {"ndcg@10": mean, "p50_ms": 1.0, "intervals": {"ndcg@10": [low, high]}}
        for strategy, (low, mean, high) in strategies.items()
    }
    return {"set": name, "queries": 2, "results": rows}


def test_before_the_first_run_nothing_is_kept(tmp_path: Path) -> None:
    assert read(tmp_path / "none.json", "pets") is None


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "kept.json", None, result(lexical=(0.4, 0.5, 0.6)))

    assert read(tmp_path / "kept.json", "pets") == result(lexical=(0.4, 0.5, 0.6))


@requirement("measure:kept:partial-run")
def test_a_run_of_some_strategies_keeps_what_others_had(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    before = result(lexical=(0.4, 0.5, 0.6), hybrid=(0.6, 0.7, 0.8))

    write(path, before, result(lexical=(0.5, 0.6, 0.7)))

    assert read(path, "pets") == result(lexical=(0.5, 0.6, 0.7), hybrid=(0.6, 0.7, 0.8))


@requirement("measure:kept:other-set")
def test_the_result_of_another_set_is_not_compared_with(tmp_path: Path) -> None:
    write(tmp_path / "kept.json", None, result("pets", lexical=(0.4, 0.5, 0.6)))

    with pytest.raises(InvalidError, match=r"keeps the result of 'pets', not of 'cars'"):
        read(tmp_path / "kept.json", "cars")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\xff",
        "[]",
        "7",
        '{"set": "pets"}',
        '{"results": {}}',
        '{"set": 1, "results": {}}',
        '{"set": "pets", "results": []}',
        '{"set": "pets", "results": {"lexical": 7}}',
        '{"set": "pets", "results": {"lexical": {"intervals": {"mrr@10": [0, 1]}}}}',
        '{"set": "pets", "results": {"lexical": {"mrr@10": 1, "intervals": {"mrr@10": 0}}}}',
        '{"set": "pets", "results": {"lexical": {"mrr@10": 1, "intervals": {"mrr@10": ["a", 1]}}}}',
    ],
)
def test_a_file_that_is_no_result_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kept.json"
    path.write_text(text, "latin-1")

    with pytest.raises(InvalidError, match=r"kept\.json' is no kept result.*delete it to start anew"):
        read(path, "pets")


@requirement("measure:kept:regression")
def test_a_measure_below_its_interval_is_a_regression() -> None:
    before = result(lexical=(0.4, 0.5, 0.6), hybrid=(0.6, 0.7, 0.8))
    now = result(lexical=(0.2, 0.39, 0.5), hybrid=(0.5, 0.6, 0.7))

    assert regressions(before, now) == [Regression("lexical", "ndcg@10", 0.5, 0.4, 0.39)]


def test_a_measure_at_the_bound_or_above_is_none() -> None:
    before = result(lexical=(0.4, 0.5, 0.6))

    assert regressions(before, result(lexical=(0.3, 0.4, 0.5))) == []
    assert regressions(before, result(lexical=(0.8, 0.9, 1.0))) == []


def test_what_only_one_run_has_is_not_compared() -> None:
    before = result(hybrid=(0.6, 0.7, 0.8))
    now = result(lexical=(0.0, 0.0, 0.0))

    assert regressions(before, now) == regressions(now, before) == []


def test_a_measure_that_an_older_run_did_not_have_is_not_compared() -> None:
    before, now = result(lexical=(0.4, 0.5, 0.6)), result(lexical=(0.4, 0.5, 0.6))
    before["results"]["lexical"]["mrr@10"] = 0.9
    before["results"]["lexical"]["intervals"]["mrr@10"] = [0.8, 1.0]

    assert regressions(before, now) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot write '.*gone/kept\.json'"):
        write(tmp_path / "gone" / "kept.json", None, result())


def test_a_kept_file_is_readable_and_ends_in_a_line(tmp_path: Path) -> None:
    write(tmp_path / "kept.json", None, result())

    text = (tmp_path / "kept.json").read_text()
    assert text == json.dumps(result(), indent=2) + "\n"
