"""Finding memories: the kept index, the vectors if there are any, and the pipeline over both."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.app.library import DocumentIndex, MemoryIndex
from recollect.errors import ModelError
from recollect.records.store import Progress
from recollect.retrieval import search as pipeline
from recollect.retrieval.cutoff import AUTO_MOST
from recollect.retrieval.index import Index
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Answer, Settings, Strategy
from recollect.retrieval.tokens import tokens
from recollect.storage.models.installed import InstalledModel, runnable
from recollect.storage.sqlite.connections import is_corrupt, snapshot
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.index_file import CORRUPTION_ERRORS
from recollect.values import replaced

if TYPE_CHECKING:
    from recollect.app.graph_channel import GraphChannel
    from recollect.ids import UnifiedId
    from recollect.storage.matrix import MatrixVectors
    from recollect.storage.models.embedder import Embedder

# Of the memories that must have vectors. With fewer, the best of those few is taken for the best of all, and
# search is worse than by words: .355 for .580 on conversations of which an eighth was read, .507 at a half.
ENOUGH_READ = 0.75
EMBEDDED_WHILE_SEARCHING = 64  # memories; more wait for `recollect index`
_NO_MODEL = "no embedding model is installed; `recollect model install` adds search by meaning"


def _matcher(answer: Answer, index: Index) -> Callable[[str], bool]:
    wanted = {term.stem for term in answer.query.terms}
    wanted |= {stem for stem, _ in pipeline.looked_for(answer.query, index)}
    return lambda word: not wanted.isdisjoint(index.stems(tokens(word)))


@dataclass(slots=True)
class Finder:
    """Search over one library. `embedder` loads the model that reads, when one is installed.

    `missing` says which model was to read and cannot; a model that does not run costs no plain answer.
    """

    library: MemoryIndex | DocumentIndex
    embedder: "Callable[[], Embedder] | None"
    default_strategy: Strategy = "fts5_bm25"
    fusion: str = "score"
    diverse: bool = False
    most: int = AUTO_MOST
    graph: "GraphChannel | None" = None
    by_authority: bool = False
    missing: str = ""
    _reads: "Embedder | None" = None
    _vectors: "MatrixVectors | None" = None
    _ranked: "tuple[object, Mapping[UnifiedId, float]] | None" = None

    def find(self, request: Request, progress: Progress | None = None) -> SearchResult:
        """Answer a request from what the files say now. A corrupt index is replaced on the way."""
        self.library.index(progress)
        try:
            return self.ask(request)
        except (sqlite3.DatabaseError, *CORRUPTION_ERRORS) as error:
            self.library.heal(error, progress)
            return self.ask(request)

    def ask(self, request: Request) -> SearchResult:
        """Answer a request from what the index knows already, as it is at one moment."""
        index = self.library.reader()
        notes = [self.missing] if self.missing and self._best(request) else []
        try:
            strategy, answer, matches = self._asked(request, index, self._strategy(request), notes)
        except ModelError as error:
            if request.strategy is not None and request.mode == "search":
                raise  # a prompt gets what there is, whoever chose how
            notes = [f"search goes by words only: {error}"]
            strategy, answer, matches = self._asked(request, index, "fts5_bm25", notes)
        told = (*self.library.notes, *notes, *(self.graph.warnings if self.graph else ()))
        self.library.notes.clear()
        if self.graph:
            self.graph.warnings.clear()
        return SearchResult(answer, strategy, told, matches)

    def _asked(
        self, request: Request, index: SqliteIndex, strategy: Strategy, notes: list[str]
    ) -> tuple[Strategy, Answer, Callable[[str], bool]]:
        """The strategy that answered, its answer, and which words it looked for."""
        vectors = self._embedded(index.size, notes) if strategy == "hybrid" else None
        if strategy == "hybrid" and vectors is None:
            strategy = "fts5_bm25"  # what words alone reach is not to bear another name
        with snapshot(index.connection):
            answer = self._answer(request, index, strategy, vectors)
            return strategy, answer, _matcher(answer, index)

    def _answer(
        self, request: Request, index: SqliteIndex, strategy: Strategy, vectors: "MatrixVectors | None"
    ) -> Answer:
        settings = Settings(
            strategy,
            self.fusion,
            vectors,
            request.attention,
            diverse=self.diverse,
            threshold=request.threshold,
            channels=request.channels,
        )
        text, filters = request.text, request.filters
        if request.mode == "auto":
            return pipeline.recall(text, index, filters, settings, files=request.files, most=self.most)
        searching = replaced(settings, graph=self.graph, authority=self._authority(index))
        return pipeline.search(
            text, index, filters, searching, limit=request.limit, offset=request.offset
        )

    def _authority(self, index: SqliteIndex) -> "Mapping[UnifiedId, float]":
        """How much rests on each memory, where that counts; worked out again when the index has changed."""
        if not self.by_authority:
            return pipeline.NO_AUTHORITY
        db = index.connection
        state = db, db.execute("PRAGMA data_version").fetchone()[0], db.total_changes
        if self._ranked is None or self._ranked[0] != state:
            from recollect.graph.algorithms import authority  # noqa: PLC0415 - igraph costs 50 ms
            from recollect.graph.causal import in_use  # noqa: PLC0415
            from recollect.storage.sqlite.edges import SqliteEdges  # noqa: PLC0415

            self._ranked = state, authority(in_use(SqliteEdges(db)))
        return self._ranked[1]

    def _strategy(self, request: Request) -> Strategy:
        if request.strategy is not None:
            return request.strategy
        return "hybrid" if self._best(request) and self.embedder else self.default_strategy

    def _best(self, request: Request) -> bool:
        """Whether this is to be answered by the best that is installed."""
        return (
            request.strategy is None
            and request.mode == "search"
            and self.default_strategy == "fts5_bm25"
        )

    def _embedded(self, size: int, notes: list[str]) -> "MatrixVectors | None":
        """The vectors, with a few missing ones made on the way; None while too many are missing."""
        vectors = self.vectors()
        if vectors is None:
            notes.append(self.missing or _NO_MODEL)
            return None
        missing = vectors.missing()
        try:
            if missing:
                missing -= vectors.embed(most=EMBEDDED_WHILE_SEARCHING)
        except OSError as error:
            notes.append(f"new vectors cannot be kept ({error})")
        except sqlite3.OperationalError as error:
            if is_corrupt(error):
                raise
            notes.append(f"new vectors cannot be kept ({error})")
        if missing <= 0:
            return vectors
        few = missing > (1 - ENOUGH_READ) * size
        goes = ", so search goes by words" if few else ""
        notes.append(f"{missing} memories have no vectors yet{goes}; run `recollect index`")
        return None if few else vectors

    def vectors(self) -> "MatrixVectors | None":
        """The vectors of this library; None without a model."""
        if self.embedder is None:
            return None
        db = self.library.open()
        if self._vectors is None or self._vectors.connection is not db:
            from recollect.storage.matrix import MatrixVectors  # noqa: PLC0415 - numpy costs 100 ms

            folder = None if self.library.in_memory else self.library.folder
            self._reads = self._reads or self.embedder()
            self._vectors = MatrixVectors(db, folder, self._reads)
        return self._vectors


def embedder_of(model: InstalledModel | None, cache: Path) -> "Callable[[], Embedder] | None":
    """How to load an installed model; None when there is none, or nothing to run it with."""
    if model is None or not runnable():
        return None

    def load() -> "Embedder":
        from recollect.storage.models.embedder import CachingEmbedder  # noqa: PLC0415

        return CachingEmbedder(model.version, lambda: _run(model), cache)

    return load


def _run(model: InstalledModel) -> "Embedder":
    from recollect.storage.models.onnx import OnnxEmbedder  # noqa: PLC0415 - costs half a second

    if not model.stands():  # other files would give other vectors under the same version
        raise ModelError(
            model.name, "it was replaced or removed meanwhile", "restart what reads with it"
        )
    return OnnxEmbedder(model)
