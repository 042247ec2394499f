"""What a sentence became, or would become."""

from typing import Any, NotRequired, TypedDict

from recollect.records.memories import Repeats
from recollect.records.sentence.proposal import Contradicts, Outcome, SentenceProposal
from recollect.views.saves import RedactedRow, duplicate_output, save_output


class RememberOutput(TypedDict):
    """`remember`. `action` is created or updated; derived (shown, not saved), duplicate or contradiction.

    `memory` is the record that the sentence became or would become, and `signals` the words of the sentence
    that chose its category. A duplicate or a contradiction was not written; `id` is the other memory.
    """

    action: str
    memory: dict[str, Any]
    signals: list[str]
    id: NotRequired[str]
    path: NotRequired[str]
    version: NotRequired[str]
    redacted: NotRequired[list[RedactedRow]]
    superseded: NotRequired[list[str]]
    retired: NotRequired[list[str]]
    similarity: NotRequired[float]
    exact: NotRequired[bool]
    reason: NotRequired[str]
    advice: NotRequired[str]


def proposal_output(proposal: SentenceProposal, document: dict[str, Any]) -> RememberOutput:
    """What a sentence would become."""
    signals = list(proposal.derived.signals)
    return {"action": "derived", "memory": document, "signals": signals}


def remember_output(
    proposal: SentenceProposal, document: dict[str, Any], outcome: Outcome, advice: str = ""
) -> RememberOutput:
    """What came of a sentence."""
    out = proposal_output(proposal, document)
    match outcome:
        case Repeats():
            return {**out, **duplicate_output(outcome, advice)}
        case Contradicts(existing, reason):
            return {
                **out,
                "action": "contradiction",
                "id": existing.memory.id,
                "path": existing.path,
                "version": existing.digest,
                "reason": reason,
                "advice": advice,
            }
        case saved:
            return {**out, **save_output(saved), "memory": saved.stored.memory.document}
