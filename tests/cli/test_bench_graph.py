"""`bench graph`."""

from tests.cli.running import Cli
from tests.cli.shapes import mismatches

from recollect.views.benches import BenchGraphOutput


def test_bench_graph_tells_budgets_and_quality(cli: Cli) -> None:
    done = cli("bench", "graph", "--memories", "100", "--links", "300", "--json")

    assert done.exit_code in (0, 9)
    assert mismatches(done.json(), BenchGraphOutput) == []
    assert done.json()["quality"].keys() == {
        "lexical",
        "lexical + graph",
        "lexical + graph, MMR",
        "lexical + graph, authority",
        "lexical + rank",
    }
