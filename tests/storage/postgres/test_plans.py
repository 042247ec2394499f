"""No statement scans across projects, by the plans of PostgreSQL for what the adapters really execute.

The conformance suites check every statement that they execute in the same way when they end.
"""

from pathlib import Path

import pytest
from tests.conformance.engines import Engine
from tests.postgres import new_project
from tests.requirements import requirement
from tests.storage.postgres.plans import Recorder, crossings
from tests.team.holders import OPERATOR, holders, new_team

from recollect.storage.postgres.database import Database, ProjectDatabase
from recollect.team.limits import ProjectLimits


@requirement("team:projects:scoped")
def test_no_statement_of_a_team_or_a_session_scans_across_projects(
    postgres_database: Database, tmp_path: Path
) -> None:
    recorder = Recorder()
    with recorder.recording():
        team = new_team(postgres_database)
        team.set_limits(ProjectLimits(60, 100, 10), OPERATOR)
        for holder in holders(team):
            team.authenticate(holder.token)
        team.revoke_token(team.tokens.all()[0].id, OPERATOR)
        team.remove_member("reader", OPERATOR)
        team.audit.latest(10, member="root")
        state = Engine(postgres_database).state(tmp_path)
        state.traces.latest(5)
        state.capabilities.all()

    assert len(recorder.statements) > 15
    assert crossings(postgres_database, recorder.statements) == []


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("SELECT * FROM member WHERE name = 'anna'", "scoped by row-level security alone"),
        ("SELECT * FROM audit ORDER BY at", "scoped by row-level security alone"),
        ("UPDATE api_token SET label = 'x' WHERE id = 'y'", "scoped by row-level security alone"),
    ],
)
def test_a_statement_without_its_project_is_noticed(
    postgres_database: Database, statement: str, problem: str
) -> None:
    [noticed] = crossings(postgres_database, {statement: None})

    assert problem in noticed


def test_a_scan_of_all_projects_is_noticed(
    postgres_database: Database, postgres_project: ProjectDatabase
) -> None:
    """Row-level security does not apply to a table that a migration forgot to isolate."""
    new_project(postgres_database)
    with postgres_database.transaction(None) as connection:
        connection.execute("CREATE TABLE forgotten (project text, note text)")
    try:
        [noticed] = crossings(postgres_database, {"SELECT * FROM forgotten WHERE note = 'x'": None})
        assert "no condition on the project" in noticed
    finally:
        with postgres_database.transaction(None) as connection:
            connection.execute("DROP TABLE forgotten")
