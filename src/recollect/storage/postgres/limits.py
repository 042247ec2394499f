"""What a project may use, in PostgreSQL. Every server of the project takes from the same bucket."""

from recollect.storage.postgres.database import Connection, ProjectDatabase
from recollect.team.limits import NO_LIMITS, Bucket, ProjectLimits, full_bucket


class PostgresLimits:
    """`recollect.team.ports.Limits`."""

    def __init__(self, database: ProjectDatabase) -> None:
        self._database, self._project = database, database.key

    def get(self) -> ProjectLimits:
        with self._database.reading() as connection:
            return self._limits(connection)

    def set(self, limits: ProjectLimits) -> None:
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO project_limits (project, requests_per_minute, burst, memories) "
                "VALUES (%s, %s, %s, %s) ON CONFLICT (project) DO UPDATE "
                "SET requests_per_minute = excluded.requests_per_minute, burst = excluded.burst, "
                "memories = excluded.memories",
                (self._project, limits.requests_per_minute, limits.burst, limits.memories),
            )
            connection.execute("DELETE FROM request_bucket WHERE project = %s", (self._project,))

    def take(self, now: float) -> float:
        with self._database.writing() as connection:
            limits = self._limits(connection)
            if not limits.requests_per_minute:
                return 0.0
            bucket, wait = self._bucket(connection, limits, now).taken(limits, now)
            connection.execute(
                "UPDATE request_bucket SET level = %s, at = %s WHERE project = %s",
                (bucket.level, bucket.at, self._project),
            )
            return wait

    def _limits(self, connection: Connection) -> ProjectLimits:
        row = connection.execute(
            "SELECT requests_per_minute, burst, memories FROM project_limits WHERE project = %s",
            (self._project,),
        ).fetchone()
        return ProjectLimits(*row) if row else NO_LIMITS

    def _bucket(self, connection: Connection, limits: ProjectLimits, now: float) -> Bucket:
        """The bucket, locked until the transaction ends."""
        first = full_bucket(limits, now)
        connection.execute(
            "INSERT INTO request_bucket (project, level, at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
            (self._project, first.level, first.at),
        )
        row = connection.execute(
            "SELECT level, at FROM request_bucket WHERE project = %s FOR UPDATE", (self._project,)
        ).fetchone()
        return Bucket(*row) if row else first
