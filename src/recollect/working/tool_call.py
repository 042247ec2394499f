"""What does a tool call change in a session? Everything it was loaded with in, everything to save out.

The order of events is here and nowhere else: the counter moves, items fade, the new item comes in, and a
command that succeeded resolves its failures.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced
from recollect.working.history import (
    Action,
    actions_of,
    as_seen_from,
    is_step,
    record_failure,
    resolve_failures,
)
from recollect.working.session import Change, add, advance, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.working.history import Failure
    from recollect.working.redacted import RedactedText
    from recollect.working.session import Faded, Item, WorkingMemory


class ToolCall(Frozen):
    """A finished tool call as it may be stored: what ran, whether it failed, and the item of a rule.

    `working.capture` alone makes one from a harness's event, and it redacts every text in it.
    """

    tool: str
    command: RedactedText
    failed: bool = False
    item: Item | None = None

    @property
    def succeeded(self) -> bool:
        """Whether a command ran and nothing says that it failed."""
        reports_error = self.item is not None and bool(self.item.fingerprint)
        return bool(self.command.text) and not self.failed and not reports_error


class CallContext(Frozen):
    """What is loaded before a tool call. Failures of the same error or command are of any session."""

    memory: WorkingMemory
    same_error: tuple[Failure, ...] = ()
    same_command: tuple[Failure, ...] = ()
    has_failures: bool = False


class CallOutcome(Frozen):
    """What a tool call led to: `memory` and `left` replace what was loaded, the rest is added to history.

    `known` says that its error had been seen before; `fixed` are the failures that it resolved.
    """

    memory: WorkingMemory
    left: tuple[Faded, ...] = ()
    actions: tuple[Action, ...] = ()
    failures: tuple[Failure, ...] = ()
    known: bool = False
    fixed: tuple[Failure, ...] = ()


def apply_call(session: str, call: ToolCall, before: CallContext, now: str) -> CallOutcome:
    """The session one tool call later."""
    outcome = _from_change(advance(before.memory))
    if call.item is not None:
        outcome = _take_in(session, call.item, before, outcome, now)
    if call.succeeded:
        outcome = _succeed(session, call.command.text, before, outcome, now)
    return outcome


def _take_in(
    session: str, new: Item, before: CallContext, outcome: CallOutcome, now: str
) -> CallOutcome:
    event = outcome.memory.event
    item = replaced(new, last=event, provenance=replaced(new.provenance, event=event))
    change = add(outcome.memory, item)
    outcome = replaced(_from_change(change, outcome), actions=actions_of(item))
    if not item.fingerprint:
        return outcome
    failure, known = record_failure(item, session, before.same_error, now)
    return replaced(outcome, failures=(failure,), known=known)


def _succeed(
    session: str, command: str, before: CallContext, outcome: CallOutcome, now: str
) -> CallOutcome:
    outcome = _from_change(resolve(outcome.memory, command), outcome)
    if before.same_command:
        resolved = resolve_failures(before.same_command, now)
        return replaced(outcome, failures=resolved, fixed=as_seen_from(session, resolved))
    if before.has_failures and is_step(command):
        step = Action("command", command, outcome.memory.event)
        return replaced(outcome, actions=(*outcome.actions, step))
    return outcome


def _from_change(change: Change, outcome: CallOutcome | None = None) -> CallOutcome:
    if outcome is None:
        return CallOutcome(change.memory, change.faded)
    return replaced(outcome, memory=change.memory, left=outcome.left + change.faded)
