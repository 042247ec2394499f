"""`bench` as commands, on sets small enough to work out by hand."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.bench.tiny import GRADED, PETS, install_model, write_set
from tests.cli.running import Cli, Run
from tests.cli.shapes import SHAPES, mismatches
from tests.requirements import requirement

from recollect.bench.gate import THRESHOLDS, calibrated
from recollect.views.benches import BenchRow

ALIKE = [{"id": f"{number:02}", "title": "", "text": "the tide is high"} for number in range(30)]
LEFT_OUT = "skipped: hybrid, hybrid-rank; no embedding model is installed, `recollect model install`"


@pytest.fixture
def pets(bare: Cli) -> Cli:
    """A folder without a memory root, with one set in it."""
    write_set(bare.folder / "data" / "pets")
    return bare


@pytest.fixture
def reader(pets: Cli, tmp_path: Path) -> Cli:
    """The same, with a model installed."""
    home = tmp_path / "recollect-home"
    install_model(home)
    pets.env["RECOLLECT_HOME"] = str(home)
    return pets


def retrieval(cli: Cli, *options: str) -> dict[str, Any]:
    done = cli.ok("bench", "retrieval", "--data", "data/pets", "--json", *options)
    results: dict[str, Any] = done.json()["results"]
    return results


SPEED = ("bench", "speed", "--memories", "100", "--large", "100")
COMMANDS = {
    "bench retrieval": ("bench", "retrieval", "--data", "data/pets"),
    "bench gate": ("bench", "gate", "--data", "data/pets"),
    "bench shadow": ("bench", "shadow", "--data", "data/pets"),
    "bench speed": SPEED,
    "bench store": ("bench", "store", "--memories", "100"),
}


def measured(cli: Cli, *arguments: str) -> Run:
    """A measurement that may find a budget missed: a machine that is busy with tests is slow."""
    done = cli(*arguments)
    assert done.exit_code in (0, 9 if "speed" in arguments else 0), done
    return done


@pytest.mark.parametrize("name", COMMANDS)
def test_a_measurement_needs_no_project_and_prints_the_documented_shape(pets: Cli, name: str) -> None:
    done = measured(pets, *COMMANDS[name], "--json")

    assert mismatches(done.json(), SHAPES[name]) == []
    assert not pets.root.exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_people_get_a_table_or_a_sentence(pets: Cli, name: str) -> None:
    out = measured(pets, *COMMANDS[name]).out

    assert len(out.splitlines()) >= 2
    assert not out.startswith("{")


def test_retrieval_gives_each_measure_with_its_interval_and_the_times(pets: Cli) -> None:
    row = retrieval(pets, "--strategy", "lexical")["lexical"]

    measures = ("ndcg@10", "recall@5", "recall@10", "mrr@10")
    assert {name: row[name] for name in measures} == dict.fromkeys(measures, 0.5)
    assert set(row) == {*measures, "p50_ms", "p95_ms", "intervals"}
    assert row["intervals"] == {name: [0.0, 1.0] for name in measures}


def test_retrieval_shows_what_was_measured_on_what(pets: Cli) -> None:
    out = pets.ok("bench", "retrieval", "--data", "data/pets", "--strategy", "lexical").out

    assert "pets: 2 queries" in out
    assert "0.500 0.000-1.000" in out


@pytest.mark.parametrize("options", [("--json",), ()])
def test_without_a_model_what_needs_one_is_left_out_with_a_note(
    pets: Cli, options: tuple[str, ...]
) -> None:
    done = pets.ok("bench", "retrieval", "--data", "data/pets", *options)

    assert LEFT_OUT in done.err
    assert "lexical" in done.out
    assert "hybrid" not in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("retrieval", "--data", "data/pets", "--strategy", "hybrid"),
        ("retrieval", "--data", "data/pets", "--strategy", "lexical", "--strategy", "vector"),
        ("gate", "--data", "data/pets", "--strategy", "hybrid"),
        ("gate", "--strategy", "hybrid"),
    ],
)
def test_without_a_model_asking_for_what_needs_one_is_an_error(
    pets: Cli, arguments: tuple[str, ...]
) -> None:
    """The numbers of words alone must never stand under another name."""
    done = pets("bench", *arguments)

    assert done.exit_code == 3
    assert done.out == ""
    assert "needs an embedding model, and none is installed; `recollect model install`" in done.err


def test_the_help_says_what_happens_without_a_model(bare: Cli) -> None:
    for name in ("retrieval", "gate"):
        assert "exit code 3" in " ".join(bare.ok("bench", name, "--help").out.split())


def test_with_a_model_the_usual_strategies_are_run_without_a_note(reader: Cli) -> None:
    done = reader.ok("bench", "retrieval", "--data", "data/pets", "--json")

    assert done.err == ""
    found = {name: row["recall@10"] for name, row in done.json()["results"].items()}
    assert found == {"lexical": 0.5, "hybrid": 1.0, "hybrid-rank": 1.0}


def test_the_gate_of_the_hand_made_set_is_told_kind_by_kind(pets: Cli) -> None:
    kinds = pets.ok("bench", "gate", "--json").json()["kinds"]
    table = pets.ok("bench", "gate").out

    assert kinds["long"]["prompts"] == kinds["long"]["n"] >= 25
    assert 0.75 <= kinds["long"]["precision@3"] <= 1
    assert 0 <= kinds["long_unrelated"]["injected_rate"] <= 0.1
    assert "long near miss" in table
    assert pets.ok("bench", "gate", "--data", "data/pets", "--json").json()["kinds"] == {}


def test_with_a_model_the_gate_is_measured_with_it(reader: Cli) -> None:
    assert reader.ok("bench", "gate", "--data", "data/pets", "--json").json()["strategy"] == "hybrid"
    words = reader.ok("bench", "gate", "--data", "data/pets", "--strategy", "fts5_bm25", "--json")
    assert words.json()["strategy"] == "fts5_bm25"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("retrieval", "--data", "gone", "--strategy", "fuzzy"),
            "unknown strategy 'fuzzy'; choose one of lexical, hybrid, hybrid-rank, vector, title_tags, "
            "reranked.",
        ),
        (
            ("gate", "--strategy", "fuzzy"),
            "unknown strategy 'fuzzy'; choose one of fts5_bm25, hybrid.",
        ),
    ],
)
def test_an_unknown_strategy_is_answered_with_those_there_are(
    bare: Cli, arguments: tuple[str, ...], message: str
) -> None:
    done = bare("bench", *arguments)

    assert done.exit_code == 5
    assert done.err == f"recollect: {message}\n"


@pytest.mark.parametrize("name", ["retrieval", "gate", "shadow"])
@pytest.mark.parametrize("missing", ["corpus", "queries", "qrels"])
def test_a_file_of_a_set_that_is_missing_is_named(pets: Cli, name: str, missing: str) -> None:
    path = f"data/pets/{missing}.jsonl.gz"
    (pets.folder / path).unlink()

    done = pets("bench", name, "--data", "data/pets")

    assert done.exit_code == 3
    assert f"recollect: there is no '{path}'; --data names the folder of one set." in done.err


@pytest.mark.parametrize("name", ["retrieval", "gate", "shadow"])
def test_a_set_that_measures_nothing_is_an_error_and_no_zero(pets: Cli, name: str) -> None:
    write_set(pets.folder / "data" / "pets", qrels=[])

    done = pets("bench", name, "--data", "data/pets")

    assert done.exit_code == 5
    assert "'pets' has no labelled query" in done.err


def test_the_gate_is_measured_at_the_threshold_in_use_and_at_others(pets: Cli) -> None:
    write_set(pets.folder / "data" / "soups", queries=[{"id": "s", "text": "leek and potato"}])

    found = pets.ok("bench", "gate", "--data", "data/pets", "--json").json()

    assert found["strategy"] == "fts5_bm25"
    assert (found["answerable"], found["unrelated"]) == (2, 1)
    assert found["threshold"] == calibrated("fts5_bm25")
    assert found["false_inject_rate"] == 0.0
    assert [point["threshold"] for point in found["curve"]] == list(THRESHOLDS)


def test_without_data_the_gate_is_measured_on_the_set_that_comes_along(bare: Cli) -> None:
    found = bare.ok("bench", "gate", "--json").json()

    assert found["answerable"] > 50
    assert found["unrelated"] > 30


@requirement("measure:command:shadow")
def test_boosts_that_keep_their_bounds_are_fine_and_others_fail(pets: Cli) -> None:
    write_set(
        pets.folder / "data" / "tides",
        corpus=ALIKE,
        queries=[{"id": "q", "text": "tide"}],
        qrels=[{"query": "q", "doc": "00", "grade": 1}],
    )

    fine = pets.ok("bench", "shadow", "--data", "data/pets", "--json").json()
    broken = pets("bench", "shadow", "--data", "data/tides", "--json")
    told = pets("bench", "shadow", "--data", "data/tides")

    assert fine["kept"] is True
    assert (fine["queries"], fine["rank_correlation"], fine["mrr_ratio"]) == (2, 1.0, 1.0)
    assert (broken.exit_code, told.exit_code) == (9, 9)
    assert broken.json()["kept"] is False
    assert "(at least 0.90)" in told.out
    assert "(at least 0.95)" in told.out


def test_speed_gives_every_budget_with_a_ratio_to_its_baseline(bare: Cli) -> None:
    pytest.importorskip("numpy")

    rows = measured(bare, *SPEED, "--json").json()["results"]

    assert [row["name"].split(",")[0] for row in rows] == [
        "search by words",
        "update one file of 100",
        "open the index of 100",
        "search 100 vectors",
    ]
    assert all(row["ratio"] > 0 and row["budget_ms"] > 0 and row["baseline"] for row in rows)
    assert [row["kept"] for row in rows] == [row["p95_ms"] <= row["budget_ms"] for row in rows]


def test_speed_tells_people_how_far_it_is(bare: Cli) -> None:
    done = measured(bare, *SPEED)

    assert "measured: search by words, 100" in done.err
    assert "x baseline" in done.out
    assert "measured:" not in measured(bare, *SPEED, "--json").err


def test_speed_works_where_there_is_no_numpy(bare: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)

    assert len(measured(bare, *SPEED, "--json").json()["results"]) == 3


def test_too_few_memories_to_measure_speed_with_are_refused(bare: Cli) -> None:
    assert bare("bench", "speed", "--memories", "99").exit_code == 2
    assert bare("bench", "store", "--memories", "0").exit_code == 2


def test_store_gives_seconds_and_ratios_to_reading_bare(cli: Cli) -> None:
    """Run in a project, it leaves the project's memories alone."""
    cli.save()
    before = {path: path.read_bytes() for path in cli.root.rglob("*.json")}

    found = cli.ok("bench", "store", "--memories", "100", "--json").json()

    assert found["memories"] == 100
    assert {"list", "doctor", "index", "save one"} <= found["results"].keys()
    assert [mismatches(row, BenchRow) for row in found["results"].values()] == [[]] * 9
    assert {path: path.read_bytes() for path in cli.root.rglob("*.json")} == before


def test_a_set_of_the_plain_layout_may_come_with_more_than_is_asked_for(pets: Cli) -> None:
    rows = [{**row, "edited": "a.py"} for row in PETS]
    write_set(pets.folder / "data" / "pets", corpus=rows, qrels=GRADED, no_tool=[{"id": "x"}])

    assert retrieval(pets, "--strategy", "lexical")["lexical"]["recall@10"] == 0.5
