"""Does the detector find what people say that will still bind, and leave the rest alone?

A message counts as found when it makes a draft. Where it is labelled durable that is right, whichever
sentence was chosen; `span_overlap` says how often the sentence is the labelled one. The weights that ship
were fitted to one such set, so a figure on that set flatters: `left_out` repeats what was measured there with
each repository left out.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.bench.json_lines import read
from recollect.records.store import Progress
from recollect.views.benches import BenchCaptureOutput, CaptureShares
from recollect.working.prose import Sentence
from recollect.working.statement_weights import LEFT_OUT
from recollect.working.statements import Statement, find_statements

FILE = "messages.jsonl.gz"
_SHARED = 0.5  # of the characters of the shorter of two spans: they are about the same sentence


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a developer, and the words in it that bind, if any do."""

    repo: str
    text: str
    durable: bool
    span: str
    strength: str
    doubt: bool

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a stretch of the message and the labelled one share at least half of the shorter."""
        first = self.text.find(self.span) if self.span else -1
        if first < 0:
            return False
        shared = min(end, first + len(self.span)) - max(start, first)
        return shared >= _SHARED * min(end - start, len(self.span))

    def label(self, sentence: Sentence) -> int:
        """1 for the labelled sentence, 0 for one of a message that does not bind, -1 for another."""
        if not self.durable:
            return 0
        return 1 if self.overlaps(sentence.start, sentence.end) else -1


@dataclass(frozen=True, slots=True)
class CaptureCase:
    """A message and the statement that was found in it first."""

    message: Message
    statement: Statement | None


def load_messages(data: Path) -> list[Message]:
    """The messages of a labelled set."""
    return [
        Message(
            line.text_or_empty("repo"),
            line.text("text"),
            line.flag("durable"),
            line.text_or_empty("span"),
            line.text_or_empty("strength"),
            bool(line.row.get("doubt")),
        )
        for line in read(data / FILE)
    ]


def measure(data: Path, progress: Progress | None = None) -> BenchCaptureOutput:
    """Run the detector over every message of a set."""
    messages = load_messages(data)
    cases = []
    for done, message in enumerate(messages, start=1):
        cases.append(CaptureCase(message, next(iter(find_statements(message.text)), None)))
        if progress:
            progress(done, len(messages))
    sure = [case for case in cases if not case.message.doubt]
    return {
        **_shares(cases),
        "messages": len(cases),
        "durable": sum(message.durable for message in messages),
        "without_doubt": _shares(sure),
        "left_out": {name: float(value) for name, value in LEFT_OUT.items()},
    }


def _shares(cases: Sequence[CaptureCase]) -> CaptureShares:
    durable = [case for case in cases if case.message.durable]
    drafts = [case for case in cases if case.statement]
    hits = [case for case in drafts if case.message.durable]
    precision, recall = _ratio(len(hits), len(drafts)), _ratio(len(hits), len(durable))
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(_ratio(2 * precision * recall, precision + recall), 4),
        "span_overlap": round(statistics.fmean(map(_overlap, hits)) if hits else 0.0, 4),
        "explicit_recall": round(_recall(durable, lambda m: m.strength == "explicit"), 4),
        "implied_recall": round(_recall(durable, lambda m: m.strength == "implied"), 4),
    }


def _overlap(case: CaptureCase) -> float:
    statement = case.statement
    return float(statement is not None and case.message.overlaps(statement.start, statement.end))


def _recall(durable: Sequence[CaptureCase], wanted: Callable[[Message], bool]) -> float:
    chosen = [case for case in durable if wanted(case.message)]
    return _ratio(sum(case.statement is not None for case in chosen), len(chosen))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
