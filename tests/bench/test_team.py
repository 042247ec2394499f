"""`bench team`: a small load on a real database."""

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.postgres import Server
from tests.requirements import requirement

__all__ = ["bare"]
from tests.cli.conftest import bare


@requirement("team:bench:load")
def test_agents_on_projects_of_a_database_lose_nothing_and_see_only_their_own(
    bare: Cli, postgres_server: Server
) -> None:
    url = postgres_server.make_database()
    small = ("--projects", "3", "--seconds", "1", "--rate", "4")

    out = bare.ok("bench", "team", "--database", url, *small, "--json").json()

    assert mismatches(out, SHAPES["bench team"]) == []
    for load in ("team", "twice", "embedded"):
        assert (out[load]["errors"], out[load]["lost"], out[load]["foreign"]) == (0, 0, 0), out[load]
    assert out["twice"]["projects"] == 2 * out["team"]["projects"] == 6
    assert out["team"]["operations"] == 12


def test_without_a_database_it_says_what_it_needs(bare: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--database" in bare("bench", "team").err
