"""From what a person said to a draft: what it would become, where it was said, and whether it is new.

Two sentences say the same when they share most words that matter and all numbers, and agree in what they
deny. Saying it again adds a piece of evidence; it makes no second draft. Nothing is a memory until a person
keeps it.
"""

from __future__ import annotations

from recollect.text.stemming import stems
from recollect.text.tokens import STOP_WORDS, tokens
from recollect.values import Frozen
from recollect.working.redacted import redact_text
from recollect.working.statement_signals import words_of
from recollect.working.statements import find_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from recollect.working.draft import StoredDraft
    from recollect.working.ports import DraftStore
    from recollect.working.redacted import Redact
    from recollect.working.statements import Statement

MOST_OF_A_SESSION = 5  # drafts; whoever states more writes a specification, and wants no queue of it
MOST_EVIDENCE = 10  # times that are listed; the first ones
PREFIX = "said-"  # of the names of these drafts
_SAME = 0.7  # share of common words that matter
_DENIALS = frozenset({"not", "no", "never", "without", "stop", "avoid", "nothing", "none", "nor"})
_MOOD = frozenset(
    "please always remember now must should shall will ever again anymore going forward".split()  # noqa: SIM905
)


class Evidence(Frozen):
    """Where something was said. What is not known is empty or 0; lines and turns count from 1."""

    session: str
    at: str = ""
    turn: int = 0
    transcript: str = ""
    line: int = 0

    def row(self, text: str) -> dict[str, Any]:
        """The evidence as a draft has it, with the words that were said."""
        fields = {"text": text, "session": self.session, "at": self.at, "turn": self.turn}
        fields |= {"transcript": self.transcript, "line": self.line}
        return {name: value for name, value in fields.items() if value}


def draft_statements(
    message: str,
    evidence: Evidence,
    drafts: DraftStore,
    redact: Redact,
    holds: Callable[[str], bool],
) -> list[str]:
    """Draft what a message states; the names of the drafts that are new or have new evidence.

    The whole message passes the gate before it is cut into sentences. `holds` says whether the memory has a
    sentence already.
    """
    statements = find_statements(redact_text(message, redact).text)
    if not statements:
        return []
    waiting = [draft for draft in drafts.all() if draft.evidence]
    names: list[str] = []
    for statement in statements:
        name = _put(statement, evidence, waiting, drafts, holds)
        if name and name not in names:
            names.append(name)
    return names


def _put(
    statement: Statement,
    evidence: Evidence,
    waiting: Sequence[StoredDraft],
    drafts: DraftStore,
    holds: Callable[[str], bool],
) -> str:
    """The name of the draft that was written; '' if there was no need for one."""
    sentence = " ".join(statement.text.split())
    twin = next((draft for draft in waiting if says(draft, sentence)), None)
    row = evidence.row(sentence)
    if twin is not None:
        if len(twin.evidence) >= MOST_EVIDENCE or any(
            _is_same_place(row, other) for other in twin.evidence
        ):
            return ""
        return drafts.put(twin.name, with_evidence(twin.document, row))
    of_session = [draft for draft in waiting if draft.evidence[0].get("session") == evidence.session]
    if len(of_session) >= MOST_OF_A_SESSION or holds(sentence):
        return ""
    return drafts.put(f"{PREFIX}{name_of(sentence)}", statement_document(statement, row))


def _is_same_place(row: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two pieces of evidence are one: the same place in the same session."""
    places = ("session", "turn", "line")
    return all(row.get(name) == other.get(name) for name in places)


def statement_document(statement: Statement, row: dict[str, Any]) -> dict[str, Any]:
    """A statement as an unconfirmed memory: every word of it is the person's own."""
    from recollect.records.sentence.derivation import derive

    document: dict[str, Any] = dict(derive(row["text"]).document)
    source: dict[str, Any] = {"kind": "tool", "session": row["session"]}
    source |= {name: row[name] for name in ("turn", "line") if row.get(name)}
    source |= {"evidence": [row], "signals": list(statement.reasons)}
    return {**document, "confidence": round(statement.confidence, 2), "source": source}


def with_evidence(document: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """A draft that was said once more. Said in another session, it is surer."""
    source = document["source"]
    before = {each.get("session") for each in source["evidence"]}
    confidence = float(document.get("confidence") or 0.0)
    if row.get("session") not in before:
        confidence = 1 - (1 - confidence) / 2
    rows = [*source["evidence"], row]
    return {**document, "confidence": round(confidence, 2), "source": {**source, "evidence": rows}}


def name_of(sentence: str) -> str:
    """A short name that is the same for the same words."""
    from zlib import crc32

    words = sorted(_words(sentence))
    return f"{crc32(' '.join(words).encode()):08x}"


def says(draft: StoredDraft, sentence: str) -> bool:
    """Whether a draft says the same as a sentence."""
    return any(is_same(str(row.get("text") or ""), sentence) for row in draft.evidence)


def is_same(first: str, second: str) -> bool:
    """Whether two sentences say the same: most words, all numbers, and what they deny."""
    left, right = _words(first), _words(second)
    if not left or not right or _denies(first) != _denies(second):
        return False
    if {word for word in left ^ right if any(map(str.isdigit, word))}:
        return False
    return len(left & right) >= _SAME * len(left | right)


def is_held(sentence: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts, each a sentence or a few, says what a sentence says."""
    wanted = _words(sentence)
    for text in texts:
        if is_same(sentence, text):
            return True
        words = _words(text)
        if len(wanted) >= 3 and wanted <= words and _denies(sentence) == _denies(text):
            return True
    return False


def _words(text: str) -> set[str]:
    """The stems of the words that matter."""
    return set(stems([word for word in tokens(text) if word not in STOP_WORDS | _MOOD]))


def _denies(text: str) -> bool:
    return sum(word in _DENIALS for word in words_of(text)) % 2 == 1
