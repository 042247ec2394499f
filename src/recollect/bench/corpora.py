"""A labelled set as something to search: one corpus for each of its groups."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from recollect.app import open_corpus
from recollect.bench.sets import DataSet, Question, Text
from recollect.ids import UnifiedId
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.request import Found, Request
from recollect.storage.finder import Finder

_START = datetime(2000, 1, 1, tzinfo=UTC)
_STEP = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of one group. `order` puts a time to each id, for queries that look back."""

    finder: Finder
    order: Mapping[str, int]

    def find(self, question: Question, request: Request) -> Found:
        """Ask a question of this corpus; what came after it is hidden."""
        filters = Filters()
        if question.before is not None:
            earlier = sum(id < question.before for id in self.order)
            filters = Filters(as_of=_START + earlier * _STEP - _STEP / 2)
        return self.finder.find(replace(request, text=question.text, filters=filters))


def corpora(data: DataSet) -> dict[str, Corpus]:
    """A corpus for each group of a set. Documents of a set that looks back are episodes, in order."""
    groups: dict[str, list[Text]] = {}
    for text in data.texts:
        groups.setdefault(text.group, []).append(text)
    return {group: _corpus(texts, timed=data.timed) for group, texts in groups.items()}


def _corpus(texts: list[Text], *, timed: bool) -> Corpus:
    ids = sorted(text.id for text in texts) if timed else [text.id for text in texts]
    order = {id: place for place, id in enumerate(ids)}
    documents = [
        Document(
            id=UnifiedId(text.id),
            title=text.title,
            tags=(),
            body=text.text,
            created_at=_START + order[text.id] * _STEP,
            category="session_summary" if timed else "decision",
            thread=_thread(text),
        )
        for text in texts
    ]
    return Corpus(open_corpus(documents), order)


def _thread(text: Text) -> str:
    """A title that says where a text is from, and not what it says, names its thread."""
    title = " ".join(text.title.split()).lower()
    return text.title if title and title[:60] not in " ".join(text.text.split()).lower() else ""
