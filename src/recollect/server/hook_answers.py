"""Answers for the prompt hook, fast enough for every prompt: files are walked only when folders changed."""

import time
from dataclasses import dataclass
from typing import Any

from recollect.app.project import Recollect
from recollect.records.display import one_line
from recollect.records.store import Progress
from recollect.retrieval.gate import GateVerdict, traced
from recollect.retrieval.request import Request
from recollect.retrieval.search import Answer

_CLOCK_STEP = 2_000_000_000  # nanoseconds: the coarsest clock of a common file system


@dataclass(slots=True)
class HookAnswers:
    """Answers for the hook. A memory that is added, replaced or removed changes its folder's mtime.

    One that was edited in place is found by its old words until the next full update; the hook compares
    each hit with its file before it shows it.
    """

    _updated_at: list[int] | None = None  # the folders' times when the index was last updated

    def answer(self, recollect: Recollect, progress: Progress, request: Request) -> dict[str, Any]:
        """The hits, and how sure the gate is of them."""
        return answer_row(self._find(recollect, progress, request))

    def _find(self, recollect: Recollect, progress: Progress, request: Request) -> Answer:
        times = _settled_times(recollect)
        if times is not None and times == self._updated_at:
            result = recollect.search.recall_indexed(request)
            if result is not None:
                return result.answer
        answer = recollect.find(request, progress).answer
        self._updated_at = times
        return answer


def _settled_times(recollect: Recollect) -> list[int] | None:
    """The folders' mtimes; None while a second change could have the same mtime, or in a team's database."""
    if recollect.team is not None:
        return None
    times = recollect.folder_times()
    return None if max(times) > time.time_ns() - _CLOCK_STEP else times


def answer_row(answer: Answer) -> dict[str, Any]:
    """An answer as the hook reads it."""
    verdict = answer.verdict
    scoring = {} if verdict is None else _scoring_row(verdict)
    return {
        "hits": [
            {
                "id": hit.document.id.removeprefix("mem:"),
                "title": one_line(hit.document.title),
                "category": hit.document.category,
                "path": hit.document.path,
                "tags": list(hit.document.tags),
                "score": round(hit.score, 6),
            }
            for hit in answer.hits
        ],
        "probability": round(verdict.probability, 6) if verdict else 0.0,
        "threshold": verdict.threshold if verdict else 1.0,
        "total": answer.total,
        **scoring,
    }


def _scoring_row(verdict: GateVerdict) -> dict[str, Any]:
    """How the gate judged, exactly, for the trace that the hook writes."""
    numbers = traced(verdict)
    if numbers is None:
        return {}
    signals, params = numbers
    return {
        "scoring": {
            "candidate": verdict.best,
            "signals": signals,
            "params": params,
            "score": verdict.probability,
            "threshold": verdict.threshold,
        }
    }
