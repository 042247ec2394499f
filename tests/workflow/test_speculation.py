"""Which calls may run ahead: never one that may write, whatever its name, annotations and probability say."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.gateway.policy import PolicyDecision, PolicyRule
from recollect.gateway.tool import EffectHints, UpstreamTool
from recollect.gateway.upstream import StdioServer, Upstream
from recollect.workflow.name_veto import vetoed_word
from recollect.workflow.speculation import (
    ExpectedTime,
    PredictedCall,
    Verdict,
    bounded,
    expected_gain,
    judge,
    may_write,
)

READS = EffectHints(read_only=True, open_world=False)
TRUSTED = Upstream("files", StdioServer("serve"), speculate=True)
FAST = ExpectedTime(40, 90)


def predicted(name: str = "read_file", hints: EffectHints = READS, **changes: Any) -> PredictedCall:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tool = UpstreamTool("files", name, input_schema=schema, hints=hints)
    call = PredictedCall(tool, TRUSTED, PolicyDecision("allow"), 0.95, {"path": "a"}, FAST)
    return replace(call, **changes)


@requirement("workflow:speculation:safe")
def test_a_likely_read_with_known_arguments_on_a_trusted_server_runs_ahead() -> None:
    assert judge(predicted()) == "accepted"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (predicted(upstream=replace(TRUSTED, speculate=False)), "untrusted_server"),
        (predicted(upstream=replace(TRUSTED, shared=False)), "unshared_server"),
        (predicted(hints=EffectHints(open_world=False)), "not_read_only"),
        (predicted(hints=EffectHints(read_only=False, open_world=False)), "not_read_only"),
        (predicted(hints=replace(READS, destructive=True)), "not_read_only"),
        (predicted(policy=PolicyDecision("ask", PolicyRule("ask", "*"))), "not_read_only"),
        (predicted(policy=PolicyDecision("deny", PolicyRule("deny", "*"))), "not_read_only"),
        (predicted(needs_approval=True), "needs_approval"),
        (predicted("read_and_delete"), "vetoed_name"),
        (predicted(arguments=None), "unknown_arguments"),
        (predicted(arguments={}), "unknown_arguments"),
        (predicted(arguments={"path": 1}), "unknown_arguments"),
        (predicted(hints=replace(READS, open_world=True)), "unknown_cost"),
        (predicted(hints=replace(READS, open_world=None)), "unknown_cost"),
        (predicted(upstream=replace(TRUSTED, call_cost=0.1)), "too_expensive"),
        (predicted(time=None), "unknown_time"),
        (predicted(time=ExpectedTime(40, 5_000)), "too_slow"),
        (predicted(probability=0.919), "below_threshold"),
        (predicted(upstream=replace(TRUSTED, call_cost=0.09)), "not_worth_it"),
    ],
)
def test_each_reason_against_a_call_is_named(call: PredictedCall, reason: Verdict) -> None:
    assert judge(call) == reason


def test_an_open_world_server_with_a_configured_cost_is_speculated() -> None:
    call = predicted(hints=replace(READS, open_world=True), upstream=replace(TRUSTED, call_cost=0.0001))

    assert judge(call) == "accepted"


def test_money_counts_as_time_that_is_wasted() -> None:
    free, paid = predicted(), predicted(upstream=replace(TRUSTED, call_cost=0.01))

    assert expected_gain(free) == pytest.approx(0.95 * 40 - 0.05 * 40)
    assert expected_gain(paid) == pytest.approx(0.95 * 40 - 0.05 * (40 + 1_000))


@pytest.mark.parametrize(
    ("threshold", "used"), [(0.1, 0.85), (0.9, 0.9), (0.99, 0.95), (float("nan"), 0.95)]
)
def test_an_adjusted_threshold_stays_within_its_limits(threshold: float, used: float) -> None:
    assert bounded(threshold) == used
    assert judge(predicted(probability=0.84), threshold) == "below_threshold"


@pytest.mark.parametrize(
    "name",
    [
        "read_and_delete",
        "get_payment_send",
        "getPaymentSend",
        "ReadThenDELETE",
        "list-and-write",
        "fetch.deploy",
        "sendmail",
        "get_resent_sends",
        "deletes",
        "removing",
        "d_e_l_e_t_e",
        "read_\u0501elete",
        "l\u00f6schen",
        "\uff44\uff45\uff4c\uff45\uff54\uff45",
        "git_commit",
        "set",
        "run_query",
    ],
)
def test_a_name_can_veto(name: str) -> None:
    assert vetoed_word(name)
    assert judge(predicted(name)) == "vetoed_name"
    assert may_write(predicted(name).tool)


@pytest.mark.parametrize(
    "name",
    ["read_file", "list_commits", "git_status", "get_address", "list_datasets", "getPayload", "search"],
)
def test_a_name_that_only_looks_like_a_veto_passes(name: str) -> None:
    assert vetoed_word(name) == ""


def test_a_title_can_veto() -> None:
    call = predicted()

    assert judge(replace(call, tool=replace(call.tool, title="Delete a file"))) == "vetoed_name"


flags = st.sampled_from([None, True, False])
hints = st.builds(EffectHints, flags, flags, flags, flags)
policies = st.sampled_from(
    [
        PolicyDecision("allow"),
        *(PolicyDecision(effect, PolicyRule(effect, "*")) for effect in ("allow", "ask", "deny")),
    ]
)
verbs = st.sampled_from(["delete", "deploy", "payment", "send", "write", "update", "Remove", "PUSH"])
readers = st.sampled_from(["read", "get", "list", "and", "file", "items", "Status", "x"])
names = st.lists(st.one_of(verbs, readers), min_size=1, max_size=4).flatmap(
    lambda parts: st.sampled_from(["_", "-", ".", "", " "]).map(
        lambda mark: mark.join(part if mark else part.capitalize() for part in parts)
    )
)
WRITING = ("delete", "deploy", "payment", "send", "write", "update", "remove", "push")


@requirement("workflow:speculation:safe")
@given(names, hints, policies, st.booleans(), st.floats(0, 1), st.booleans())
def test_nothing_but_a_read_by_annotation_policy_and_name_ever_runs_ahead(
    name: str,
    hints: EffectHints,
    policy: PolicyDecision,
    trusted: bool,
    probability: float,
    needs_approval: bool,
) -> None:
    upstream = replace(TRUSTED, speculate=trusted, call_cost=0.0)
    call = predicted(name, hints, policy=policy, upstream=upstream, probability=probability)

    if judge(replace(call, needs_approval=needs_approval), 0.0) == "accepted":
        assert trusted
        assert hints.read_only is True
        assert hints.destructive is not True
        assert policy.effect == "allow"
        assert not needs_approval
        assert probability >= 0.85
        assert not any(word in name.lower() for word in WRITING)
