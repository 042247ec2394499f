"""What each role may do, and what an agent may never do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.errors import NotPermittedError, RefusedError
from recollect.team.principal import LOCAL_AGENT, OWNER, Principal
from recollect.team.roles import LEAST_ROLE, Kind, MemberRole, Permission, parse_role

KINDS: list[Kind] = ["person", "agent"]


def test_every_action_is_in_the_table() -> None:
    assert set(LEAST_ROLE) == set(Permission)


@given(st.sampled_from(MemberRole), st.sampled_from(MemberRole), st.sampled_from(Permission))
def test_a_role_may_do_all_that_the_roles_below_it_may(
    low: MemberRole, high: MemberRole, permission: Permission
) -> None:
    if high.covers(low) and Principal("a", "person", low).may(permission):
        assert Principal("a", "person", high).may(permission)


@requirement("team:agents:never-approve")
@pytest.mark.parametrize("role", MemberRole)
def test_an_agent_may_decide_nothing_whatever_its_role_says(role: MemberRole) -> None:
    agent = Principal("bot", "agent", role)

    for permission in (
        Permission.APPROVE_CALLS,
        Permission.REVIEW,
        Permission.ACCEPT_TOOLS,
        Permission.MANAGE_TOKENS,
    ):
        assert not agent.may(permission)
        with pytest.raises(NotPermittedError, match="this is an agent"):
            agent.require(permission)


def test_a_refusal_names_the_role_that_is_needed_and_the_one_that_is_there() -> None:
    reader = Principal("anna", "person", MemberRole.READ)

    with pytest.raises(NotPermittedError, match=r"needs the role 'write'; 'anna' has 'read'"):
        reader.require(Permission.WRITE_MEMORIES)


def test_without_a_team_the_owner_may_do_everything_and_an_agent_may_write() -> None:
    assert all(OWNER.may(permission) for permission in Permission)
    assert LOCAL_AGENT.may(Permission.WRITE_MEMORIES)
    assert not LOCAL_AGENT.may(Permission.APPROVE_CALLS)


def test_an_unknown_role_is_refused_with_the_list_of_roles() -> None:
    assert parse_role("approve") is MemberRole.APPROVE
    with pytest.raises(RefusedError, match="read, write, approve, admin"):
        parse_role("owner")
