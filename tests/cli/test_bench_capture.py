from tests.bench.test_capture import RULE, message, write
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches


def test_the_command_prints_the_shape_and_the_figure_for_unseen_repositories(cli: Cli) -> None:
    write(cli.folder, message(RULE, RULE), message("fix the test"))

    done = cli.ok("bench", "capture", "--data", ".", "--json")

    assert not mismatches(done.json(), SHAPES["bench capture"])
    assert "left out" in cli.ok("bench", "capture", "--data", ".").out
