"""A member's rules about tools: the PostgreSQL adapter of `PolicyRules`."""

from collections.abc import Sequence

from recollect.gateway.policy import Effect, PolicyRule
from recollect.storage.postgres.member_rows import OWNED, MemberRows

_PUT = """
INSERT INTO policy_rule (project, member, pattern, effect)
VALUES (%(project)s, %(member)s, %(pattern)s, %(effect)s)
ON CONFLICT (project, member, pattern) DO UPDATE SET effect = excluded.effect
"""


class PostgresPolicy:
    """A rule for each pattern."""

    def __init__(self, rows: MemberRows) -> None:
        self._rows = rows

    def rules(self) -> Sequence[PolicyRule]:
        sql = f"SELECT effect, pattern FROM policy_rule WHERE {OWNED} ORDER BY pattern"
        return [PolicyRule(effect, pattern) for effect, pattern in self._rows.read(sql)]

    def put(self, effect: Effect, pattern: str) -> None:
        with self._rows.transaction():
            self._rows.write(_PUT, pattern=pattern, effect=effect)

    def remove(self, pattern: str) -> bool:
        sql = f"DELETE FROM policy_rule WHERE {OWNED} AND pattern = %(pattern)s RETURNING 1"
        with self._rows.transaction():
            return bool(self._rows.write(sql, pattern=pattern))
