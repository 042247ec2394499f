"""The table of clients and protocol eras in the gateway's guide says what the tests try."""

from pathlib import Path

from tests.e2e.third_party import FASTMCP_TRIALS, INSPECTOR_TRIALS

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "gateway.md"


def test_the_guide_lists_the_trials_of_third_party_clients() -> None:
    table = GUIDE.read_text("utf-8").partition("| client | its era |")[2].partition("\n\n")[0]

    assert table.splitlines()[2:] == [trial.row() for trial in [*FASTMCP_TRIALS, *INSPECTOR_TRIALS]]
