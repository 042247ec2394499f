"""Members, tokens, the audit log and limits of a project.

One engine has them: without a database that people share there is one user, who owns every file.
"""

import pytest
from tests.postgres import Server, new_project
from tests.requirements import requirement

from recollect.errors import DatabaseError, NotFoundError, RefusedError
from recollect.storage.postgres.audit_log import PostgresAuditLog
from recollect.storage.postgres.database import Database, ProjectDatabase
from recollect.storage.postgres.limits import PostgresLimits
from recollect.storage.postgres.members import PostgresMembers
from recollect.storage.postgres.tokens import PostgresTokens
from recollect.team.audit import AuditEntry
from recollect.team.limits import NO_LIMITS, ProjectLimits
from recollect.team.members import Member
from recollect.team.ports import AuditLog, Members, Tokens, UsageLimits
from recollect.team.roles import Kind, MemberRole, Permission
from recollect.team.tokens import Token

DAY, LATER = "2026-11-17T10:00:00Z", "2026-11-18T10:00:00Z"
ANNA, BEN = Member("anna", MemberRole.ADMIN, DAY), Member("ben", MemberRole.WRITE, DAY)


@pytest.fixture
def members(postgres_project: ProjectDatabase) -> Members:
    return PostgresMembers(postgres_project)


@pytest.fixture
def tokens(postgres_project: ProjectDatabase) -> Tokens:
    return PostgresTokens(postgres_project)


@pytest.fixture
def audit(postgres_project: ProjectDatabase) -> AuditLog:
    return PostgresAuditLog(postgres_project)


@pytest.fixture
def limits(postgres_project: ProjectDatabase) -> UsageLimits:
    return PostgresLimits(postgres_project)


def token(
    project: ProjectDatabase,
    id: str,
    member: str = "anna",
    role: MemberRole = MemberRole.WRITE,
    kind: Kind = "agent",
) -> Token:
    return Token(project.key, id, f"{id:0<64}", member, kind, role, "a test", DAY)


def entry(target: str, member: str = "anna") -> AuditEntry:
    return AuditEntry(DAY, member, "person", "t1", Permission.WRITE_MEMORIES, target, "done")


def test_members_are_listed_by_name_with_their_roles(members: Members) -> None:
    members.add(BEN)
    members.add(ANNA)

    assert list(members.all()) == [ANNA, BEN]
    assert members.get("ben") == BEN
    assert members.get("carl") is None


def test_nobody_is_added_twice_but_may_come_back(members: Members) -> None:
    members.add(ANNA)
    members.add(BEN)
    with pytest.raises(RefusedError, match="is already a member"):
        members.add(BEN)

    members.remove("ben", LATER)
    members.add(Member("ben", MemberRole.READ, LATER))

    assert members.get("ben") == Member("ben", MemberRole.READ, LATER)


def test_a_project_never_loses_its_last_administrator(members: Members) -> None:
    members.add(ANNA)
    members.add(BEN)
    with pytest.raises(RefusedError, match="the only administrator"):
        members.remove("anna", LATER)
    with pytest.raises(RefusedError, match="the only administrator"):
        members.set_role("anna", MemberRole.READ)

    members.set_role("ben", MemberRole.ADMIN)
    members.remove("anna", LATER)

    assert [member.name for member in members.all()] == ["ben"]


def test_changing_somebody_unknown_is_an_error(members: Members) -> None:
    with pytest.raises(NotFoundError, match="'eve' is not a member"):
        members.remove("eve", LATER)
    with pytest.raises(NotFoundError, match="'eve' is not a member"):
        members.set_role("eve", MemberRole.READ)


def test_a_token_comes_back_with_the_role_of_its_member(
    members: Members, tokens: Tokens, postgres_project: ProjectDatabase
) -> None:
    members.add(ANNA)
    stored = token(postgres_project, "0123456789ab")
    tokens.add(stored)
    tokens.used(stored.id, LATER)

    [listed] = tokens.all()

    assert listed.last_used_at == LATER
    assert tokens.holder(stored.id) == (listed, MemberRole.ADMIN)
    assert tokens.get("ba9876543210") is None


def test_a_revoked_token_stays_and_is_revoked_once(
    members: Members, tokens: Tokens, postgres_project: ProjectDatabase
) -> None:
    members.add(ANNA)
    tokens.add(token(postgres_project, "0123456789ab"))

    assert tokens.revoke("0123456789ab", LATER)
    assert not tokens.revoke("0123456789ab", "2026-12-01T00:00:00Z")
    assert [each.revoked_at for each in tokens.all()] == [LATER]
    with pytest.raises(NotFoundError, match="no token"):
        tokens.revoke("unknown", LATER)


@requirement("team:members:leaving-revokes")
def test_whoever_leaves_takes_no_token_along(
    members: Members, tokens: Tokens, postgres_project: ProjectDatabase
) -> None:
    members.add(ANNA)
    members.add(BEN)
    tokens.add(token(postgres_project, "0123456789ab", "ben"))

    members.remove("ben", LATER)

    [ended] = tokens.all()
    assert ended.revoked_at == LATER
    assert tokens.holder(ended.id) == (ended, None)
    with pytest.raises(NotFoundError, match="not a member"):
        tokens.add(token(postgres_project, "ba9876543210", "ben"))


def test_the_database_itself_refuses_an_agent_that_approves(
    members: Members, tokens: Tokens, postgres_project: ProjectDatabase
) -> None:
    members.add(ANNA)

    with pytest.raises(DatabaseError):
        tokens.add(token(postgres_project, "0123456789ab", role=MemberRole.APPROVE))


def test_the_audit_log_is_read_in_pages_newest_first(audit: AuditLog) -> None:
    numbers = [audit.append(entry(name)) for name in ("one", "two", "three")]

    assert numbers == sorted(set(numbers))
    page = audit.latest(2)
    assert [row.target for row in page] == ["three", "two"]
    assert [row.target for row in audit.latest(2, before=page[-1].number)] == ["one"]
    audit.append(entry("four", "ben"))
    assert [row.target for row in audit.latest(9, member="ben")] == ["four"]


@requirement("team:audit:append-only")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET member = 'eve' WHERE project = '{project}'",
        "DELETE FROM audit WHERE project = '{project}'",
        "TRUNCATE audit",
    ],
)
def test_nothing_in_the_audit_log_is_changed_or_deleted(
    audit: AuditLog, postgres_project: ProjectDatabase, statement: str
) -> None:
    audit.append(entry("one"))

    with (
        pytest.raises(DatabaseError, match="grows at its end only"),
        postgres_project.writing() as connection,
    ):
        connection.execute(statement.format(project=postgres_project.key))

    assert [row.target for row in audit.latest(9)] == ["one"]


def test_a_project_has_no_limits_until_some_are_set(limits: UsageLimits) -> None:
    assert limits.get() == NO_LIMITS
    assert limits.take(0.0) == 0.0

    limits.set(ProjectLimits(60, 2, 100))

    assert limits.get() == ProjectLimits(60, 2, 100)


def test_servers_of_a_project_share_its_requests(
    limits: UsageLimits, postgres_project: ProjectDatabase
) -> None:
    limits.set(ProjectLimits(60, 2))
    another_server = PostgresLimits(postgres_project)

    assert [limits.take(5.0), another_server.take(5.0), limits.take(5.0)] == [0.0, 0.0, 1.0]
    assert another_server.take(6.0) == 0.0


@requirement("team:projects:apart")
def test_another_project_sees_nothing_of_it(
    postgres_database: Database, members: Members, tokens: Tokens, postgres_project: ProjectDatabase
) -> None:
    members.add(ANNA)
    tokens.add(token(postgres_project, "0123456789ab"))
    PostgresAuditLog(postgres_project).append(entry("one"))
    PostgresLimits(postgres_project).set(ProjectLimits(1, 1, 1))
    other = new_project(postgres_database)

    assert list(PostgresMembers(other).all()) == []
    assert PostgresTokens(other).holder("0123456789ab") is None
    assert list(PostgresAuditLog(other).latest(9)) == []
    assert PostgresLimits(other).get() == NO_LIMITS
    PostgresMembers(other).add(ANNA)
    PostgresTokens(other).add(token(other, "0123456789ab"))  # the same id, in another project


@pytest.mark.parametrize("text", ["'; DROP TABLE member; --", "%s %(x)s {}", "\\'; --", "a\nb", "’ÿ🙂"])
def test_text_that_looks_like_sql_is_only_text(
    members: Members, audit: AuditLog, postgres_project: ProjectDatabase, text: str
) -> None:
    members.add(ANNA)
    members.add(Member(text, MemberRole.READ, DAY))
    PostgresTokens(postgres_project).add(token(postgres_project, text, text, MemberRole.READ))
    audit.append(entry(text, text))

    assert members.get(text) is not None
    assert audit.latest(1, member=text)[0].target == text
    assert [each.id for each in PostgresTokens(postgres_project).all()] == [text]


def test_servers_of_a_project_that_start_together_take_turns(postgres_server: Server) -> None:
    """Every server of a project takes from one bucket, from its first request on."""
    from concurrent.futures import ThreadPoolExecutor

    from tests.postgres import connected

    database = connected(postgres_server)
    shared = PostgresLimits(new_project(database))
    shared.set(ProjectLimits(60, 10))

    with ThreadPoolExecutor(8) as servers:
        waits = list(servers.map(lambda _: shared.take(1.0), range(20)))

    assert waits.count(0.0) == 10
    database.close()
