"""Tokens: what a client shows, what is stored, and whom it stands for."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.errors import RefusedError
from recollect.team.members import member_name
from recollect.team.roles import MemberRole
from recollect.team.tokens import (
    ID_BYTES,
    SECRET_BYTES,
    Token,
    TokenText,
    check_token,
    new_token,
    parse_token,
    principal_of,
)

NOW = "2026-11-17T10:00:00Z"
RANDOM = bytes(range(ID_BYTES + SECRET_BYTES))


def stored(shown: TokenText, **changes: object) -> Token:
    token = Token(
        shown.project, shown.id, shown.digest, "anna", "person", MemberRole.APPROVE, "laptop", NOW
    )
    return replace(token, **changes)  # type: ignore[arg-type]


@given(
    st.text(min_size=1, max_size=60).filter(str.isprintable),
    st.binary(min_size=ID_BYTES + SECRET_BYTES, max_size=ID_BYTES + SECRET_BYTES),
)
def test_a_token_is_read_back_from_its_text(project: str, randomness: bytes) -> None:
    token = new_token(project, randomness)

    assert parse_token(str(token)) == token


@given(st.text(max_size=120))
def test_other_text_is_no_token(text: str) -> None:
    assert parse_token(text) is None or str(parse_token(text)) == text


@requirement("team:tokens:hashed")
def test_what_is_stored_and_what_is_printed_has_no_secret() -> None:
    shown = new_token("shop", RANDOM)

    assert shown.secret not in repr(shown)
    assert shown.secret not in repr(stored(shown))
    assert parse_token(shown.digest) is None


def test_a_token_stands_for_its_member() -> None:
    shown = new_token("shop", RANDOM)

    who = principal_of(shown, stored(shown), MemberRole.ADMIN, NOW)

    assert who is not None
    assert (who.name, who.role, who.project, who.token) == (
        "anna",
        MemberRole.APPROVE,
        "shop",
        shown.id,
    )


def test_a_member_whose_role_was_lowered_lowers_their_tokens() -> None:
    shown = new_token("shop", RANDOM)

    who = principal_of(shown, stored(shown), MemberRole.READ, NOW)

    assert who is not None
    assert who.role is MemberRole.READ


@pytest.mark.parametrize(
    "changes",
    [
        {"revoked_at": "2026-11-01T00:00:00Z"},
        {"expires_at": NOW},
        {"digest": "0" * 64},
        {"kind": "agent"},  # with the role approve, which no row should have
    ],
)
def test_a_token_that_ended_or_may_not_exist_stands_for_nobody(changes: dict[str, object]) -> None:
    shown = new_token("shop", RANDOM)

    assert principal_of(shown, stored(shown, **changes), MemberRole.ADMIN, NOW) is None


def test_nobody_is_behind_an_unknown_token_or_a_member_who_left() -> None:
    shown = new_token("shop", RANDOM)

    assert principal_of(shown, None, MemberRole.ADMIN, NOW) is None
    assert principal_of(shown, stored(shown), None, NOW) is None


@requirement("team:agents:no-approve-token")
@pytest.mark.parametrize("role", [MemberRole.APPROVE, MemberRole.ADMIN])
def test_an_agents_token_cannot_be_made_to_approve(role: MemberRole) -> None:
    with pytest.raises(RefusedError, match="an agent must not approve"):
        check_token("agent", role, MemberRole.ADMIN)


def test_a_token_cannot_hold_more_than_its_member() -> None:
    check_token("person", MemberRole.WRITE, MemberRole.WRITE)
    with pytest.raises(RefusedError, match="its member has the role 'read'"):
        check_token("person", MemberRole.WRITE, MemberRole.READ)


@pytest.mark.parametrize("text", ["", " ", "a b", "x" * 101, "'; DROP TABLE member; --", "-anna"])
def test_what_is_no_name_of_a_member_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match="not a valid member name"):
        member_name(text)


def test_the_name_of_a_member_has_no_capitals() -> None:
    assert member_name(" Anna@Example.org ") == "anna@example.org"
