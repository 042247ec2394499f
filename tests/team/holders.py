"""A team of one project, with a member and a token for each role, and agents beside them."""

from dataclasses import dataclass

from tests.postgres import new_project

from recollect.app.team import Team, TokenWish
from recollect.storage.postgres.database import Database
from recollect.team.principal import Principal
from recollect.team.roles import Kind, MemberRole

OPERATOR = Principal("operator", "person", MemberRole.ADMIN)


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody with a token."""

    name: str
    kind: Kind
    role: MemberRole
    token: str

    @property
    def principal(self) -> Principal:
        return Principal(self.name, self.kind, self.role)

    @property
    def header(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def new_team(database: Database) -> Team:
    """The team of a new project, with an administrator."""
    team = Team(new_project(database))
    team.add_member("root", MemberRole.ADMIN, OPERATOR)
    return team


def holders(team: Team) -> list[Holder]:
    """Everybody: a person of each role, and an agent for each role that an agent may have."""
    people = [_holder(team, f"{role.value}er", "person", role) for role in MemberRole]
    return [*people, *(_agent(team, role) for role in (MemberRole.READ, MemberRole.WRITE))]


def _holder(team: Team, name: str, kind: Kind, role: MemberRole) -> Holder:
    team.add_member(name, role, OPERATOR)
    return Holder(name, kind, role, token_of(team, name, role, kind))


def _agent(team: Team, role: MemberRole) -> Holder:
    return Holder("adminer", "agent", role, token_of(team, "adminer", role, "agent"))


def token_of(team: Team, member: str, role: MemberRole, kind: Kind = "person") -> str:
    """A new token of a member."""
    return str(team.create_token(TokenWish(member, role, kind, "a test"), OPERATOR)[0])
