"""Results that are kept, and what the next run makes of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.bench.saved_results import Regression, read, regressions, renew, write
from recollect.errors import InvalidError, StoreError


def result(name: str = "pets", /, **strategies: tuple[float, float, float]) -> dict[str, Any]:
    """A result: for each strategy an nDCG with its interval."""
    rows = {
        strategy: {"ndcg@10": mean, "p50_ms": 1.0, "intervals": {"ndcg@10": [low, high]}}
        for strategy, (low, mean, high) in strategies.items()
    }
    return {"set": name, "queries": 2, "results": rows}


def test_before_the_first_run_nothing_is_kept(tmp_path: Path) -> None:
    assert read(tmp_path / "none.json", "retrieval", "pets") is None


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "kept.json", None, result(lexical=(0.4, 0.5, 0.6)))

    assert read(tmp_path / "kept.json", "retrieval", "pets") == result(lexical=(0.4, 0.5, 0.6))


def test_a_run_of_some_strategies_keeps_what_others_had(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    before = result(lexical=(0.4, 0.5, 0.6), hybrid=(0.6, 0.7, 0.8))

    write(path, before, result(lexical=(0.5, 0.6, 0.7)))

    assert read(path, "retrieval", "pets") == result(lexical=(0.5, 0.6, 0.7), hybrid=(0.6, 0.7, 0.8))


def test_the_result_of_another_set_is_not_compared_with(tmp_path: Path) -> None:
    write(tmp_path / "kept.json", None, result("pets", lexical=(0.4, 0.5, 0.6)))

    with pytest.raises(InvalidError, match=r"has the result of 'pets', not of 'cars'"):
        read(tmp_path / "kept.json", "retrieval", "cars")


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
        '{"set": "pets", "results": {"lexical": {"mrr@10": 1, "intervals": {"mrr@10": [NaN, 1]}}}}',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_result_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kept.json"
    path.write_text(text, "latin-1")

    with pytest.raises(
        InvalidError, match=r"kept\.json' is not a saved result.*delete it to start over"
    ):
        read(path, "retrieval", "pets")


def test_the_result_of_another_measurement_is_not_compared_with(tmp_path: Path) -> None:
    """A file from before measurements were named keeps one of search."""
    write(tmp_path / "old.json", None, result("pets", lexical=(0.4, 0.5, 0.6)))
    write(tmp_path / "gate.json", None, {"bench": "gate", **result("pets")})

    with pytest.raises(InvalidError, match=r"has the result of `bench retrieval`, not of `bench gate`"):
        read(tmp_path / "old.json", "gate", "pets")
    with pytest.raises(InvalidError, match=r"name another file"):
        read(tmp_path / "gate.json", "retrieval", "pets")
    assert read(tmp_path / "gate.json", "gate", "pets")


def test_a_folder_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match=r"is a folder; name a file in it"):
        read(tmp_path, "retrieval", "pets")


def test_the_best_of_each_measure_is_kept_so_that_quality_cannot_slide(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    best = result(lexical=(0.4, 0.5, 0.6))

    assert renew(path, None, best) == []
    assert renew(path, best, result(lexical=(0.35, 0.45, 0.55))) == []
    kept = read(path, "retrieval", "pets")
    assert kept == best
    assert renew(path, kept, result(lexical=(0.28, 0.38, 0.48))) == [
        Regression("lexical", "ndcg@10", 0.5, 0.4, 0.38)
    ]
    assert read(path, "retrieval", "pets") == best
    assert renew(path, kept, result(lexical=(0.6, 0.7, 0.8))) == []
    assert read(path, "retrieval", "pets") == result(lexical=(0.6, 0.7, 0.8))


def test_a_measure_that_is_gone_stays_kept_and_times_are_the_last_ones(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    before, now = result(lexical=(0.4, 0.5, 0.6)), result(lexical=(0.5, 0.6, 0.7))
    before["results"]["lexical"] |= {"mrr@10": 0.9, "p50_ms": 9.0}
    before["results"]["lexical"]["intervals"]["mrr@10"] = [0.8, 1.0]

    write(path, before, now)

    kept = json.loads(path.read_text())["results"]["lexical"]
    assert (kept["ndcg@10"], kept["mrr@10"], kept["p50_ms"]) == (0.6, 0.9, 1.0)
    assert kept["intervals"] == {"ndcg@10": [0.5, 0.7], "mrr@10": [0.8, 1.0]}


def test_of_false_injections_fewer_are_better(tmp_path: Path) -> None:
    def rate(low: float, mean: float, high: float) -> dict[str, Any]:
        row = {"false_inject_rate": mean, "intervals": {"false_inject_rate": [low, high]}}
        return {"bench": "gate", "set": "pets", "results": {"hybrid": row}}

    path, before = tmp_path / "kept.json", rate(0.02, 0.05, 0.08)

    (worse,) = renew(path, before, rate(0.06, 0.09, 0.12))
    assert str(worse) == "hybrid false_inject_rate is 0.090, above 0.080; it was 0.050"
    assert renew(path, before, rate(0.04, 0.07, 0.1)) == []
    assert read(path, "gate", "pets") == before
    assert renew(path, before, rate(0.0, 0.01, 0.03)) == []
    assert read(path, "gate", "pets") == rate(0.0, 0.01, 0.03)


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
