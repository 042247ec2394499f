"""Search over one index: by words, by meaning where a model is installed, and along links."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.app.graphs import Graphs
from recollect.errors import ModelError, UnwritableError
from recollect.graph.unified import GraphHits, GraphQuery
from recollect.records.store import Progress
from recollect.retrieval import search as pipeline
from recollect.retrieval.fusion import AUTO_MOST
from recollect.retrieval.index import Filters, Index, Key
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Answer, Settings, Strategy
from recollect.storage.models.installed import InstalledModel, runnable
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.index_database import SearchIndex
from recollect.text.stemming import stems
from recollect.text.tokens import tokens
from recollect.values import replaced

if TYPE_CHECKING:
    from recollect.app.graph_channel import GraphChannel
    from recollect.ids import UnifiedId
    from recollect.storage.matrix import MatrixVectors
    from recollect.storage.models.embedder import Embedder

    RunModel = Callable[[InstalledModel], Embedder]

# The share of memories that must have vectors. With fewer, the best of those few is taken for the best of
# all, and search is worse than by words: .355 against .580 on conversations with an eighth embedded, .507
# with a half.
ENOUGH_EMBEDDED = 0.75
EMBEDDED_WHILE_SEARCHING = 64  # memories; more wait for `recollect index`
_NO_MODEL = "no embedding model is installed; `recollect model install` adds search by meaning"


def _matcher(answer: Answer, index: Index) -> Callable[[str], bool]:
    wanted = {term.stem for term in answer.query.terms}
    wanted |= {stem for stem, _ in pipeline.search_terms(answer.query, index)}
    return lambda word: not wanted.isdisjoint(stems(tokens(word)))


@dataclass(slots=True)
class Finder:
    """Search over one index. `embedder` loads the model, when one is installed.

    `chosen_strategy` is the user's; None means the best that is installed. `missing` says why the configured
    model cannot be used. If the model is missing or damaged, search falls back to words.
    """

    index: SearchIndex
    embedder: "Callable[[], Embedder] | None"
    chosen_strategy: Strategy | None = None
    fusion: str = "score"
    diverse: bool = False
    most: int = AUTO_MOST
    graph: "GraphChannel | None" = None
    by_authority: bool = False
    missing: str = ""
    _model: "Embedder | None" = None
    _vectors: "tuple[SqliteIndex, MatrixVectors] | None" = None
    _authorities: "tuple[object, Mapping[UnifiedId, float]] | None" = None

    def find(self, request: Request, progress: Progress | None = None) -> SearchResult:
        """Search what the files contain now."""
        return self.index.updated(lambda: self.ask(request), progress)

    def ask(self, request: Request) -> SearchResult:
        """Search what the index contains already, without a look at the files."""
        index = self.index.reader()
        notes = [self.missing] if self._misses_model(request) else []
        try:
            strategy, answer, matches = self._run(request, index, self._strategy(request), notes)
        except ModelError as error:
            if request.strategy is not None and request.mode == "search":
                raise  # only a search that asks for the model by name fails without it
            notes = [f"search uses words only: {error}"]
            strategy, answer, matches = self._run(request, index, "fts5_bm25", notes)
        warnings = (*self.index.notes, *notes, *(self.graph.warnings if self.graph else ()))
        self.index.notes.clear()
        if self.graph:
            self.graph.warnings.clear()
        return SearchResult(answer, strategy, warnings, matches)

    def _run(
        self, request: Request, index: SqliteIndex, strategy: Strategy, notes: list[str]
    ) -> tuple[Strategy, Answer, Callable[[str], bool]]:
        """The strategy that was used, its answer, and a test for the words it looked for."""
        vectors = self._embedded(index.size, notes) if strategy == "hybrid" else None
        if strategy == "hybrid" and vectors is None:
            strategy = "fts5_bm25"  # a lexical result must not be reported as hybrid
        with index.snapshot():
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
        authority = self._authority(index)
        searching = replaced(settings, graph=self.graph, authority=authority, now=request.now)
        return pipeline.search(
            text, index, filters, searching, limit=request.limit, offset=request.offset
        )

    def _authority(self, index: SqliteIndex) -> "Mapping[UnifiedId, float]":
        """How many memories build on each one, if that boost is on; cached until the index changes."""
        if not self.by_authority:
            return pipeline.NO_AUTHORITY
        version = index, index.version()
        if self._authorities is None or self._authorities[0] != version:
            from recollect.graph.algorithms import authority  # noqa: PLC0415 - igraph costs 50 ms
            from recollect.graph.causal import in_use  # noqa: PLC0415

            self._authorities = version, authority(in_use(index.edges()))
        return self._authorities[1]

    def _strategy(self, request: Request) -> Strategy:
        best: Strategy = "hybrid" if self.embedder else "fts5_bm25"
        return request.strategy or self.chosen_strategy or best

    def _misses_model(self, request: Request) -> bool:
        """Whether a search would use the configured model if it could, because no strategy was chosen."""
        is_free = request.strategy is None and self.chosen_strategy is None
        return bool(self.missing) and is_free and request.mode == "search"

    def _embedded(self, size: int, notes: list[str]) -> "MatrixVectors | None":
        """The vectors, after embedding a few missing ones; None while too many are missing."""
        vectors = self.vectors()
        if vectors is None:
            notes.append(self.missing or _NO_MODEL)
            return None
        missing = vectors.missing()
        try:
            if missing:
                missing -= vectors.embed(most=EMBEDDED_WHILE_SEARCHING)
        except (OSError, UnwritableError) as error:
            notes.append(f"new vectors cannot be stored ({error})")
        if missing <= 0:
            return vectors
        too_few = missing > (1 - ENOUGH_EMBEDDED) * size
        consequence = ", so search goes by words" if too_few else ""
        notes.append(f"{missing} memories have no vectors yet{consequence}; run `recollect index`")
        return None if too_few else vectors

    def update(self) -> None:
        """Update the index from its files or documents."""
        self.index.update()

    def embed(self, progress: Progress | None = None) -> int:
        """Embed the documents that have no vectors; returns how many, 0 without a model."""
        vectors = self.vectors()
        return 0 if vectors is None else vectors.embed(progress)

    def nearest(self, text: str, filters: Filters, limit: int) -> Sequence[tuple[Key, float]]:
        """The documents closest in meaning, with their cosines; none without a model."""
        vectors = self.vectors()
        if vectors is None:
            return []
        return vectors.nearest(text, self.index.reader(), filters, limit)

    def walk(self, query: GraphQuery) -> GraphHits:
        """The hits of the graphs alone; none when search does not use them."""
        return self.graph.search(query) if self.graph else GraphHits((), ())

    @property
    def graphs(self) -> Graphs:
        """The links between the documents."""
        return Graphs(self.index)

    @property
    def size(self) -> int:
        """How many documents the index has."""
        return self.index.reader().size

    def close(self) -> None:
        """Close the index; the next use opens it again."""
        self.index.close()

    def vectors(self) -> "MatrixVectors | None":
        """The vectors of this index; None without a model."""
        if self.embedder is None:
            return None
        index = self.index.reader()
        if self._vectors is None or self._vectors[0] is not index:
            from recollect.storage.matrix import MatrixVectors  # noqa: PLC0415 - numpy costs 100 ms

            folder = None if self.index.in_memory else self.index.folder
            self._model = self._model or self.embedder()
            self._vectors = index, MatrixVectors(index.passages(), folder, self._model)
        return self._vectors[1]


def embedder_of(
    model: InstalledModel | None, cache: Path, run: "RunModel | None" = None
) -> "Callable[[], Embedder] | None":
    """How to load an installed model; None without a model or without the packages that run it."""
    if model is None or not runnable():
        return None

    def load() -> "Embedder":
        from recollect.storage.models.embedder import CachingEmbedder  # noqa: PLC0415

        return CachingEmbedder(model.version, lambda: (run or run_model)(model), cache)

    return load


def run_model(model: InstalledModel) -> "Embedder":
    """Load a model into this process. Raises ModelError."""
    from recollect.storage.models.onnx import OnnxEmbedder  # noqa: PLC0415 - costs half a second

    if not model.is_current():  # other files would give other vectors for the same version
        raise ModelError(
            model.name, "it was replaced or removed meanwhile", "restart what reads with it"
        )
    return OnnxEmbedder(model)
