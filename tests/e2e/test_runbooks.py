"""An error comes up, is fixed, and comes up again elsewhere: the runbook is there in the next prompt."""

import json
from pathlib import Path

import pytest
from tests.hook.conversation import FAILING, PASSING, PYTEST, Conversation, begun
from tests.requirements import requirement

TRACE = """Traceback (most recent call last):
  File "/srv/{place}/src/cart.py", line {line}, in total
    return sum(prices)
TypeError: unsupported operand type(s) for +: 'int' and 'str'
Exit code 1"""


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return begun(tmp_path / "project", tmp_path / "home")


def fixed(one: Conversation) -> None:
    """A command fails, something is done about it, and it works again."""
    one.bash("python -m cart", TRACE.format(place="a", line=12))
    one.edit("src/cart.py")
    one.bash("cd app && npm ci 2>&1 | tail -3", "added 3 packages")
    one.bash("recollect search cart", "1 hit")
    one.bash("python -m cart", "total: 12")


@requirement("working:runbook:offered")
def test_what_fixed_an_error_is_offered_kept_and_told_when_the_error_comes_back(
    conversation: Conversation,
) -> None:
    fixed(conversation)
    [waiting] = conversation.command("session", "drafts")["drafts"]
    assert conversation.prompt("why is the total of the cart a TypeError?").startswith("<!--")

    conversation.command("session", "keep", waiting["name"])

    [path] = conversation.kept("runbooks")
    steps = json.loads(path.read_text())["content"]["steps"]
    assert steps == ["Edit src/cart.py", "Run `cd app && npm ci 2>&1 | tail -3`"]
    other = conversation.other("s2")
    other.bash("python -m cart", TRACE.format(place="elsewhere", line=77))
    assert f"-> .claude/memory/runbooks/{path.name} " in other.prompt("hm?")
    assert other.prompt("hm?") == ""


def test_a_draft_that_nobody_wants_is_dropped_and_offered_again_when_it_happens_again(
    conversation: Conversation,
) -> None:
    fixed(conversation)
    [name] = conversation.drafts

    conversation.command("session", "drop", name)

    assert conversation.drafts == {}
    assert conversation.kept("runbooks") == []
    fixed(conversation.other("s2"))
    assert list(conversation.drafts) == [name]


def test_by_configuration_runbooks_and_summaries_are_kept_and_stay_unconfirmed(
    conversation: Conversation,
) -> None:
    config = conversation.folder / ".claude/memory/memory-config.json"
    config.write_text(json.dumps({"working": {"keep_drafts": "auto"}}))
    conversation.prompt("Make the total of the cart a number again.")

    fixed(conversation)
    conversation.send("SessionEnd")

    kept = [*conversation.kept("runbooks"), *conversation.kept("sessions")]
    assert [json.loads(path.read_text())["source"]["kind"] for path in kept] == ["tool", "tool"]
    assert conversation.drafts == {}
    other = conversation.other("s2")
    other.bash("python -m cart", TRACE.format(place="elsewhere", line=77))
    assert other.prompt("hm?") == ""  # search finds it; a prompt is told what a person confirmed


def test_what_works_again_is_no_longer_open(conversation: Conversation) -> None:
    conversation.bash(PYTEST, FAILING)
    assert "fails" in conversation.resumed()

    conversation.bash(PYTEST, PASSING)

    assert "fails" not in conversation.resumed()
    assert "fails" not in conversation.other("s2").resumed("startup")


@requirement("working:fingerprint:runbook")
def test_a_runbook_that_was_changed_by_hand_is_told_as_its_file_stands(
    conversation: Conversation,
) -> None:
    fixed(conversation)
    [name] = conversation.drafts
    conversation.command("session", "keep", name)
    [path] = conversation.kept("runbooks")
    conversation.bash("python -m cart", TRACE.format(place="a", line=12))
    path.write_text(path.read_text().replace('"active"', '"retired"'))

    assert conversation.prompt("hm?") == ""
