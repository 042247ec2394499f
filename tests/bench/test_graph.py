"""The measurements of the graph, at a size that a test can wait for."""

from recollect.bench.graph import linked_documents, measure


def test_every_budget_is_measured_beside_a_baseline() -> None:
    rows = list(measure(200, 1_000, rounds=5))

    assert [(row["name"].split(",")[0], row["budget_ms"]) for row in rows] == [
        ("graph channel", 30.0),
        ("graph channel", 30.0),
        ("PageRank", 100.0),
        ("shortest path", 1.0),
    ]
    assert all(0 < row["p50_ms"] <= row["p95_ms"] and row["ratio"] > 0 for row in rows)


def test_made_up_memories_have_the_links_that_were_asked_for_and_the_same_every_time() -> None:
    made = linked_documents(50, 250)

    assert sum(len(document.links) for document in made) == 250
    assert made == linked_documents(50, 250)
