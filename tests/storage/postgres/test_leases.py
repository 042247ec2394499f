"""Leases of runs end by the clock of the database, wherever their process runs."""

import time

import pytest
from tests.requirements import requirement

from recollect.errors import LockedError
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.leases import Leases
from recollect.storage.postgres.project_rows import ProjectRows

_HELD = """
INSERT INTO run_lease (project, run, holder, until)
VALUES (%(project)s, 'r1', 'killed', clock_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (project, run) DO UPDATE SET holder = excluded.holder, until = excluded.until
"""
_LEASE = "SELECT holder, until FROM run_lease WHERE project = %(project)s AND run = 'r1'"


@pytest.fixture
def rows(postgres_project: ProjectDatabase) -> ProjectRows:
    return ProjectRows(postgres_project)


@requirement("team:postgres:leases")
def test_the_lease_of_a_killed_process_is_refused_until_it_ends_and_then_free(
    rows: ProjectRows,
) -> None:
    rows.write(_HELD, seconds=60)
    with (
        pytest.raises(LockedError, match=r"another process.* resumed in \d+ s"),
        Leases(rows).lease("r1"),
    ):
        pass

    rows.write(_HELD, seconds=-1)

    with Leases(rows).lease("r1"):
        pass


@requirement("team:postgres:leases")
def test_a_lease_is_renewed_while_it_is_held(rows: ProjectRows) -> None:
    with Leases(rows, seconds=2).lease("r1"):
        [(_, first)] = rows.read(_LEASE)
        deadline = time.monotonic() + 30
        while rows.read(_LEASE)[0][1] == first:
            assert time.monotonic() < deadline
        with pytest.raises(LockedError), Leases(rows).lease("r1"):
            pass


def test_whoever_lost_a_lease_leaves_that_of_the_next_alone(rows: ProjectRows) -> None:
    with Leases(rows).lease("r1"):
        rows.write(_HELD, seconds=60)

    assert [holder for holder, _ in rows.read(_LEASE)] == ["killed"]
