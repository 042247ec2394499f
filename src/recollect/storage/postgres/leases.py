"""The right to go on with a run, for one process at a time, wherever it runs.

A lease ends some seconds after its last renewal by the clock of the database, so that nothing need be known
of processes on other machines. A process that was suspended for longer may lose its lease unawares; the
journal then refuses its next event, and with it the intent of any write.
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from recollect.errors import LockedError, StoreError
from recollect.storage.postgres.project_rows import ProjectRows

LEASE_SECONDS = 12.0
_RENEWALS = 4  # within the time of a lease
_RELEASE_SECONDS = 1.0  # that whoever ends its work waits for the lease to be given back
_TAKE = """
INSERT INTO run_lease (project, run, holder, until)
VALUES (%(project)s, %(run)s, %(holder)s, clock_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (project, run) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE run_lease.until < clock_timestamp()
RETURNING 1
"""
_RENEW = """
UPDATE run_lease SET until = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE project = %(project)s AND run = %(run)s AND holder = %(holder)s
"""
_RELEASE = """
DELETE FROM run_lease WHERE project = %(project)s AND run = %(run)s AND holder = %(holder)s
"""
_LEFT = """
SELECT ceil(extract(epoch FROM until - clock_timestamp()))::integer FROM run_lease
WHERE project = %(project)s AND run = %(run)s
"""


class Leases:
    """Leases of the runs of one project. A thread renews each of them while it is held."""

    def __init__(self, rows: ProjectRows, seconds: float | None = None) -> None:
        self._rows, self._seconds = rows, seconds or LEASE_SECONDS

    @contextmanager
    def lease(self, run: str) -> Iterator[None]:
        """Hold the lease of a run. Raises LockedError while another process holds it."""
        holder = secrets.token_hex(16)
        if not self._rows.write(_TAKE, run=run, holder=holder, seconds=self._seconds):
            raise LockedError(self._refusal(run))
        ended = threading.Event()
        keeping = threading.Thread(target=self._keep, args=(run, holder, ended), daemon=True)
        keeping.start()
        try:
            yield
        finally:
            ended.set()
            keeping.join(_RELEASE_SECONDS)

    def _keep(self, run: str, holder: str, ended: threading.Event) -> None:
        """Renew a lease until its work has ended, then give it back; without a database it ends by itself."""
        while not ended.wait(self._seconds / _RENEWALS):
            with suppress(StoreError):  # the next renewal may succeed
                self._rows.write(_RENEW, run=run, holder=holder, seconds=self._seconds)
        with suppress(StoreError):
            self._rows.write(_RELEASE, run=run, holder=holder)

    def _refusal(self, run: str) -> str:
        left = self._rows.read(_LEFT, run=run)
        seconds = max(left[0][0], 1) if left else 1
        return (
            f"the run {run!r} is running in another process; if that process was killed, the run can "
            f"be resumed in {seconds} s."
        )
