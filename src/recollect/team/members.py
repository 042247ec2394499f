"""Projects and members: values, and the names that both may have."""

import re
from dataclasses import dataclass

from recollect.errors import RefusedError
from recollect.team.roles import MemberRole

_MEMBER = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Member:
    """A person who belongs to a project. The name is theirs in every project, such as an e-mail address."""

    name: str
    role: MemberRole
    added_at: str


@dataclass(frozen=True, slots=True)
class TeamProject:
    """A project of a database. `server` has it; empty for the server with the directory."""

    id: str
    name: str
    server: str
    created_at: str


def member_name(text: str) -> str:
    """A member's name, in lower case. Raises RefusedError for one that is none."""
    name = text.strip().lower()
    if not _MEMBER.fullmatch(name):
        raise RefusedError(
            f"{text!r} is not a valid member name; use at most 100 letters, digits and . _ @ + -, "
            "such as an e-mail address."
        )
    return name
