"""`bench workflow` runs real graphs, and the scheduler beats one call after another."""

from recollect.bench.workflow import bench_graphs, measure


def test_calls_at_the_same_time_take_about_as_long_as_one() -> None:
    rows = {(row["graph"], row["way"]): row for row in measure(tasks=20, rounds=1)["results"]}
    graph = bench_graphs(20)[0].name

    assert rows[graph, "in memory"]["seconds"] < rows[graph, "sequential"]["seconds"] / 3
    assert {way for _, way in rows} >= {"sequential", "in memory", "with journal"}


def test_the_longest_way_goes_through_what_takes_longest() -> None:
    [_, uneven, chain, _] = bench_graphs(20)

    assert uneven.critical_path < sum(uneven.seconds.values())
    assert chain.critical_path == 0
