"""The skill graph at size, measured small."""

from pathlib import Path

from recollect.bench.skills_graph import PARTS, generate_skills, measure


def test_asking_what_is_kept_takes_less_than_a_millisecond() -> None:
    _, (kept, searched) = measure(skills=12, rounds=2)

    assert (kept["budget_ms"], searched["budget_ms"]) == (1.0, 30.0)
    assert kept["p50_ms"] < kept["budget_ms"]
    assert kept["ratio"] < 0.1


def test_what_is_counted_is_what_is_there() -> None:
    figures, _ = measure(skills=12, rounds=1)

    assert figures["pages"] == figures["nodes"] == 12 * (1 + len(PARTS))
    assert figures["edges"] > figures["nodes"]
    assert figures["broken"] == 0


def test_a_folder_of_the_users_own_is_measured_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    page = tmp_path / "deploy" / "SKILL.md"
    page.write_text("# Deploy\n\n[[ghost]]\n")

    figures, _ = measure(rounds=1, folder=tmp_path)

    assert (figures["nodes"], figures["edges"], figures["broken"]) == (1, 0, 1)
    assert list(tmp_path.rglob("*.md")) == [page]


def test_made_up_skills_are_the_same_every_time(tmp_path: Path) -> None:
    one, other = (generate_skills(tmp_path / name, 3) for name in ("one", "other"))
    texts = [[path.read_text() for path in sorted(tree.rglob("*.md"))] for tree in (one, other)]

    assert texts[0] == texts[1]
    assert len(set(texts[0])) == len(texts[0])
