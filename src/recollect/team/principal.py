"""Who makes a request, and the one check of what they may do."""

from dataclasses import dataclass

from recollect.errors import NotPermittedError
from recollect.team.roles import LEAST_ROLE, Kind, MemberRole, Permission, allowed_role


@dataclass(frozen=True, slots=True)
class Principal:
    """A member of a project, or an agent that works for one. `token` is the id of what they showed.

    Without a database there are no members: whoever uses the machine owns the project (`OWNER`), and what
    works for them is `LOCAL_AGENT`. Both take the same check as members do.
    """

    name: str
    kind: Kind
    role: MemberRole
    project: str = ""
    token: str = ""

    def may(self, permission: Permission) -> bool:
        """Whether the role covers the permission."""
        least = LEAST_ROLE[permission]
        return self.role.covers(least) and allowed_role(least, self.kind)

    def require(self, permission: Permission) -> None:
        """Raises NotPermittedError that names the role which is needed."""
        if self.may(permission):
            return
        least = LEAST_ROLE[permission]
        if not allowed_role(least, self.kind):
            raise NotPermittedError(
                f"{permission.value} needs a person with the role {least.value!r}, and this is an agent."
            )
        raise NotPermittedError(
            f"{permission.value} needs the role {least.value!r}; {self.name!r} has {self.role.value!r} here."
        )


OWNER = Principal("owner", "person", MemberRole.ADMIN)
LOCAL_AGENT = Principal("agent", "agent", MemberRole.WRITE)
