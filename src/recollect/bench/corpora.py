"""Make a labelled set searchable: one corpus for each of its groups."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from recollect import clock
from recollect.app.finder import Finder
from recollect.app.models import configured_reranker, open_models
from recollect.app.opening import open_corpus
from recollect.app.reranking import Reranking, unlimited_reranking
from recollect.bench.data_sets import DataSet, LabelledQuery, LabelledText
from recollect.errors import InvalidError, NotFoundError
from recollect.ids import UnifiedId
from recollect.records.record import Memory
from recollect.records.store import Stored
from recollect.retrieval.documents import document_of
from recollect.retrieval.files import named_files
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.request import Request, SearchResult
from recollect.values import replaced

_START = datetime(2000, 1, 1, tzinfo=UTC)
_STEP = timedelta(minutes=1)


def has_model() -> bool:
    """Whether an embedding model is installed and can run."""
    return open_corpus([]).embedder is not None


def need_model(strategy: str) -> None:
    """Raises NotFoundError without a model: a lexical result must not be reported as hybrid."""
    if not has_model():
        raise NotFoundError(
            f"the strategy {strategy!r} needs an embedding model, and none is installed; "
            f"`recollect model install` gets one."
        )


def installed_reranking(strategy: str) -> Reranking:
    """The user's reranker, without a time limit. Raises NotFoundError without one."""
    models = open_models()
    model = configured_reranker(models.folder, models.config, str(models.file))
    if model is None:
        raise NotFoundError(
            f"the strategy {strategy!r} needs a reranker, and none is in use; "
            f"`recollect model install --role reranker` gets one."
        )
    return unlimited_reranking(model)


@dataclass(frozen=True, slots=True)
class LabelledCorpus:
    """The documents of one group. `order` gives each id a time, for queries that search earlier documents."""

    search: Finder
    order: Mapping[str, int]

    def embed(self) -> None:
        """Embed every document before the first query."""
        self.search.update()
        self.search.embed()

    def find(self, question: LabelledQuery, request: Request) -> SearchResult:
        """Search this corpus for a question; later documents are hidden.

        A prompt, as in the product, is given only what is in force.
        """
        filters = Filters()
        if request.mode == "auto":
            filters = Filters(in_force_at=clock.to_text(_START + len(self.order) * _STEP))
        if question.before is not None:
            earlier = sum(id < question.before for id in self.order)
            filters = Filters(as_of=clock.to_text(_START + earlier * _STEP - _STEP / 2))
        return self.search.find(replaced(request, text=question.text, filters=filters))


def read_memories(path: Path) -> list[Memory]:
    """The records of a file, one to a line. Raises InvalidMemoryError that names the line."""
    lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
    return [Memory.parse(json.loads(line), f"{path.name}:{number}") for number, line in lines]


def documents_of(memories: Iterable[Memory]) -> list[Document]:
    """The documents of memories for an index, with links."""
    return [
        document_of(Stored(memory, f"{memory.category.value}/{memory.id}.json", ""))
        for memory in memories
    ]


def labelled(data: DataSet) -> list[LabelledQuery]:
    """The questions of a set that have answers.

    Raises InvalidError when there are none, or when one is of a group without documents.
    """
    queries = [question for question in data.questions if question.grades]
    if not queries:
        raise InvalidError(
            f"{data.name!r} has no labelled query; its qrels must name queries by their ids."
        )
    groups = {text.group for text in data.texts}
    if lost := [question for question in queries if question.group not in groups]:
        raise InvalidError(
            f"query {lost[0].id!r} of {data.name!r} searches the group {lost[0].group!r}, which has "
            "no documents; correct one of the two groups."
        )
    return queries


def corpora(data: DataSet, database: str = "") -> dict[str, LabelledCorpus]:
    """A corpus for each group of a set, in a team's database if one is named.

    Documents of a timed set are episodes, in time order.
    """
    groups: dict[str, list[LabelledText]] = {}
    for text in data.texts:
        groups.setdefault(text.group, []).append(text)
    installed = open_corpus([]).embedder
    shared = None if installed is None else cache(installed)  # one model for all groups
    return {
        group: _corpus(texts, shared, database, timed=data.timed) for group, texts in groups.items()
    }


def _corpus(
    texts: list[LabelledText],
    embedder: Callable[[], Any] | None,
    database: str = "",
    *,
    timed: bool,
) -> LabelledCorpus:
    ids = sorted(text.id for text in texts) if timed else [text.id for text in texts]
    order = {id: place for place, id in enumerate(ids)}
    documents = [
        Document(
            id=UnifiedId(text.id),
            title=text.title,
            tags=(),
            body=text.text,
            created_at=clock.to_text(_START + order[text.id] * _STEP),
            category="session_summary" if timed else "decision",
            files=tuple(_path(text)),
            thread=_thread(text),
            ended_as="" if text.in_force else text.status or "not in force",
            ended_at=None if text.in_force else clock.to_text(_START),
        )
        for text in texts
    ]
    return LabelledCorpus(open_corpus(documents, embedder=embedder, database=database), order)


def _path(text: LabelledText) -> list[str]:
    """The file that a text is about, if its title is a path."""
    return [path for path in named_files(text.title) if path == text.title]


def _thread(text: LabelledText) -> str:
    """The thread of a text: its title, unless the text contains it."""
    title = " ".join(text.title.split()).lower()
    return text.title if title and title[:60] not in " ".join(text.text.split()).lower() else ""
