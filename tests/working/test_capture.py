"""From a finished tool call to what may be stored of it."""

from typing import Any

import pytest
from tests.requirements import requirement

from recollect.agents.harnesses import all_tools
from recollect.redaction.redact import redact
from recollect.working.capture import MOST_COMMAND, CaptureSettings, RawCall, capture
from recollect.working.default_rules import default_rules
from recollect.working.rules import Rule
from recollect.working.tool_result import CUT_MARGIN, MOST_OUTPUT

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TRACE = "Traceback (most recent call last):\n  File 'a.py', line 1\nValueError: bad key"
DEFAULT_RULES = default_rules(all_tools())
SETTINGS = CaptureSettings(DEFAULT_RULES, "/home/me/shop", (".claude/memory",))


class CountingGate:
    """The real gate, and the texts that passed it."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> tuple[str, Any]:
        self.texts.append(text)
        return redact(text)


def shell(output: str, command: str = "python a.py", *, failed: bool = True) -> RawCall:
    return RawCall("Bash", {"command": command}, output, failed)


@requirement("working:capture:once")
def test_an_output_with_a_secret_passes_the_gate_once_and_so_does_its_command() -> None:
    gate = CountingGate()
    output, command = f"{TRACE} {KEY}", f"KEY={KEY} python a.py"

    call = capture(shell(output, command), SETTINGS, gate)

    assert sorted(gate.texts) == sorted([output, command])
    assert call.item
    assert KEY not in repr(call)
    assert call.item.provenance.redaction_applied
    assert call.item.fingerprint


@requirement("working:capture:once")
def test_a_rule_that_keeps_nothing_costs_no_second_pass() -> None:
    gate = CountingGate()
    choosy = Rule("commits", "Bash", "commit", 0.8, "commit")
    settings = CaptureSettings((choosy, *DEFAULT_RULES), "/home/me/shop", ())

    call = capture(shell(f"no commit yet\n{TRACE} {KEY}"), settings, gate)

    assert call.item
    assert call.item.kind != "commit"
    assert len(gate.texts) == len(set(gate.texts)) == 2


@requirement("working:capture:once")
def test_an_output_that_no_rule_wants_does_not_pass_the_gate() -> None:
    gate = CountingGate()

    call = capture(RawCall("Read", {"file_path": "src/a.py"}, KEY, failed=False), SETTINGS, gate)

    assert call.item is None
    assert gate.texts == []


@requirement("working:store:gate")
def test_no_secret_is_left_in_any_text_of_a_call() -> None:
    rule = Rule("keys", "Edit|Grep", "", 0.5, "first_last_500")
    settings = CaptureSettings((rule,), "/home/me/shop", ())
    given = {"file_path": f"/home/me/shop/keys/{KEY}.txt", "pattern": f"token {KEY}"}

    call = capture(RawCall("Edit", given, f"wrote {KEY}", failed=False), settings, redact)

    assert call.item
    assert KEY not in repr(call)
    assert call.item.paths == ("keys/[REDACTED].txt",)
    assert call.item.provenance.redaction_applied


@requirement("working:store:gate")
@pytest.mark.parametrize("length", [0, MOST_OUTPUT, 20 * MOST_OUTPUT])
def test_a_secret_at_a_cut_of_a_long_output_is_redacted_whole(length: int) -> None:
    """The rule keeps what is at the cuts; half a key there would not be recognised."""
    half = MOST_OUTPUT // 2
    edge = "x " * ((half - 20) // 2)
    gate = CountingGate()
    clean: list[str] = []

    def redact_and_note(text: str) -> tuple[str, Any]:
        result = gate(text)
        clean.append(result[0])
        return result

    output = f"{edge} {KEY} {'y ' * (length // 2)} {KEY} {edge}"
    rule = Rule("all", "Bash", "", 0.5, "first_last_500")
    capture(shell(output, ""), CaptureSettings((rule,), "/", ()), redact_and_note)

    [text] = gate.texts
    assert text.count(KEY) == 2
    assert KEY[:12] not in clean[0]
    assert len(text) < MOST_OUTPUT + 2 * CUT_MARGIN + 10


@requirement("working:store:gate")
def test_a_secret_with_colours_in_it_is_recognised() -> None:
    output = f"{TRACE} {KEY[:10]}\x1b[31m{KEY[10:]}\x1b[0m"

    call = capture(shell(output), SETTINGS, redact)

    assert call.item
    assert "[REDACTED]" in call.item.content
    assert KEY[10:] not in repr(call)


@requirement("working:store:fail-closed")
def test_an_error_in_the_gate_leaves_nothing_to_store() -> None:
    def broken(_: str) -> tuple[str, list[Any]]:
        raise RuntimeError("the gate is broken")

    with pytest.raises(RuntimeError):
        capture(shell(TRACE), SETTINGS, broken)


def test_a_command_is_one_line_of_bounded_length() -> None:
    call = capture(shell("", "make  a\n  b " + "c" * 500), SETTINGS, redact)

    assert call.command.text.startswith("make a b ccc")
    assert len(call.command.text) == MOST_COMMAND


def test_nothing_is_kept_of_what_recollect_wrote() -> None:
    gate = CountingGate()

    ours = capture(shell(f"{TRACE} {KEY}", "recollect show a"), SETTINGS, gate)

    assert (ours.command.text, ours.item) == ("", None)
    assert gate.texts == []
