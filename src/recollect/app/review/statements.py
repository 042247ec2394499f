"""What people said that may be worth keeping: drafts with their evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.app.project import Recollect
from recollect.app.review.drafts import DraftReview, waiting_draft
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.records.json_format import JsonObject
from recollect.working.draft import StoredDraft


@dataclass(frozen=True, slots=True)
class StatementReview:
    """Statements of a project, the surest first. They become memories only by a person."""

    recollect: Recollect
    kind: str = "statement"

    def items(self) -> Sequence[ReviewItem]:
        drafts = [draft for draft in self.recollect.sessions.drafts.all() if draft.evidence]
        return [self._item(draft) for draft in sorted(drafts, key=_rank)]

    def find(self, id: str) -> ReviewItem | None:
        draft = waiting_draft(self.recollect, id)
        return self._item(draft) if draft and draft.evidence else None

    def _item(self, draft: StoredDraft) -> ReviewItem:
        category = str(draft.document.get("category") or "memory").replace("_", " ")
        times = len(draft.evidence)
        often = "once" if times == 1 else f"{times} times"
        return ReviewItem(
            self.kind,
            draft.name,
            str(draft.document.get("title") or draft.name),
            f"said {often}; it would become a {category}",
            {
                "keep": f"save it as a {category}",
                "edit": "change it first",
                "merge": "add it to a memory of its kind",
                "drop": "delete it",
            },
            (*map(_where, draft.evidence), *_signals(draft)),
            document=draft.document,
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        return DraftReview(self.recollect).act(item, decision)

    def undo(self, data: JsonObject) -> None:
        DraftReview(self.recollect).undo(data)


def _rank(draft: StoredDraft) -> tuple[float, str]:
    confidence = draft.document.get("confidence")
    return -(confidence if isinstance(confidence, float) else 0.0), draft.name


def _where(row: dict[str, Any]) -> str:
    """One piece of evidence in a line: the words, and where they were said."""
    places = [f"session {str(row.get('session') or '')[:12]}"]
    places += [f"{name} {row[name]}" for name in ("turn", "line") if row.get(name)]
    return f"“{row.get('text') or ''}” ({', '.join(places)})"


def _signals(draft: StoredDraft) -> list[str]:
    source = draft.document.get("source")
    names = source.get("signals") if isinstance(source, dict) else None
    return [f"signals: {', '.join(map(str, names))}"] if isinstance(names, list) and names else []
