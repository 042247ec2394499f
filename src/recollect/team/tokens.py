"""API tokens: what a client shows, of which only a hash is stored.

The text is `rct_PROJECT_ID_SECRET`, the project in Base64: it leads to the server and the row, so that no
index spans projects. The secret has 256 random bits; a fast hash is enough for what nobody can guess.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass

from recollect.errors import RefusedError
from recollect.team.principal import Principal
from recollect.team.roles import MOST_OF_AN_AGENT, Kind, MemberRole, allowed_role

PREFIX = "rct"
SECRET_BYTES = 32
ID_BYTES = 6
# The last two parts have fixed lengths, so that an underscore in the first is no ambiguity.
_TEXT = re.compile(rf"{PREFIX}_([\w-]{{1,300}})_([0-9a-f]{{12}})_([\w-]{{43}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is stored. `member` is the person who answers for it, an agent's too."""

    project: str
    id: str
    digest: str
    member: str
    kind: Kind
    role: MemberRole
    label: str
    created_at: str
    expires_at: str = ""  # empty: never
    revoked_at: str = ""
    last_used_at: str = ""


@dataclass(frozen=True, slots=True)
class TokenText:
    """The parts of a token that a client showed. It is never written down, and its `repr` has no secret."""

    project: str
    id: str
    secret: str

    def __repr__(self) -> str:
        return f"TokenText({self.project!r}, {self.id!r})"

    def __str__(self) -> str:
        place = base64.urlsafe_b64encode(self.project.encode()).decode().rstrip("=")
        return f"{PREFIX}_{place}_{self.id}_{self.secret}"

    @property
    def digest(self) -> str:
        """What is stored of it."""
        return hashlib.sha256(str(self).encode()).hexdigest()


def parse_token(text: str) -> TokenText | None:
    """The parts of a token; None for text that is none."""
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    place, id, secret = match.groups()
    try:
        project = base64.urlsafe_b64decode(place + "=" * (-len(place) % 4)).decode()
    except ValueError:
        return None
    return TokenText(project, id, secret)


def new_token(project: str, randomness: bytes) -> TokenText:
    """A token of `ID_BYTES` and `SECRET_BYTES` of randomness."""
    id, secret = randomness[:ID_BYTES].hex(), randomness[ID_BYTES : ID_BYTES + SECRET_BYTES]
    return TokenText(project, id, base64.urlsafe_b64encode(secret).decode().rstrip("="))


def check_token(kind: Kind, role: MemberRole, member_role: MemberRole) -> None:
    """Raises RefusedError for a token that may not exist."""
    if not allowed_role(role, kind):
        raise RefusedError(
            f"an agent's token cannot have the role {role.value!r}, because an agent must not "
            f"approve; the most it can have is {MOST_OF_AN_AGENT.value!r}."
        )
    if not member_role.covers(role):
        raise RefusedError(
            f"a token cannot have the role {role.value!r}: its member has the role "
            f"{member_role.value!r} in this project."
        )


def principal_of(
    shown: TokenText, token: Token | None, member_role: MemberRole | None, now: str
) -> Principal | None:
    """Who shows a token; None for one that does not count: unknown, revoked, expired, or its member left.

    A member whose role was lowered lowers all their tokens.
    """
    if token is None or not hmac.compare_digest(shown.digest, token.digest):
        return None
    if token.revoked_at or (token.expires_at and token.expires_at <= now) or member_role is None:
        return None
    role = min(token.role, member_role, key=lambda role: role.rank)
    if not allowed_role(role, token.kind):
        return None
    return Principal(token.member, token.kind, role, token.project, token.id)
