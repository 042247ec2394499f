"""Search over one index: by words, by meaning where a model is installed, and along links."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from recollect.app.graphs import Graphs
from recollect.app.search_index import IndexReader, SearchIndex
from recollect.errors import ModelBusyError, ModelError, UnwritableError
from recollect.graph.unified import GraphHits, GraphQuery
from recollect.records.store import Progress
from recollect.retrieval import search as pipeline
from recollect.retrieval.fusion import AUTO_MOST
from recollect.retrieval.index import Filters, Index, Key
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Answer, Settings, Strategy
from recollect.retrieval.search_terms import search_terms
from recollect.storage.models.installed import InstalledModel, runnable
from recollect.text.stemming import stems
from recollect.text.tokens import is_latin, tokens
from recollect.values import replaced

if TYPE_CHECKING:
    from recollect.app.graph_channel import GraphChannel
    from recollect.app.reranking import Reranking
    from recollect.ids import UnifiedId
    from recollect.retrieval.reranking import Reranker
    from recollect.retrieval.vectors import VectorStore
    from recollect.storage.models.embedder import Embedder

    RunModel = Callable[[InstalledModel], Embedder]

# The share of memories that must have vectors. With fewer, the best of those few is taken for the best of
# all, and search is worse than by words: .355 against .580 on conversations with an eighth embedded, .507
# with a half.
ENOUGH_EMBEDDED = 0.75
# Of a search, for vectors that are missing; `recollect index` makes the rest. A server makes them when idle.
SLICE_SECONDS = 0.1
SERVER_SLICE_SECONDS = 0.03
FEW_MISSING = 16  # vectors that a model is loaded for; while more are missing, search goes by words
_NO_MODEL = "no embedding model is installed; `recollect model install` adds search by meaning"


def _matcher(answer: Answer, index: Index) -> Callable[[str], bool]:
    wanted = {term.stem for term in answer.query.terms}
    wanted |= {stem for stem, _ in search_terms(answer.query, index)}
    return lambda word: not wanted.isdisjoint(stems(tokens(word)))


def merged(first: Answer, second: Answer, most: int | None = None) -> Answer:
    """Two answers to one query as one, by score; where scores are equal the first's hits come first."""
    known = {hit.document.id for hit in first.hits}
    others = [hit for hit in second.hits if hit.document.id not in known]
    hits = sorted((*first.hits, *others), key=lambda hit: -hit.score)
    has_first = not second.hits or (bool(first.hits) and hits[0] in first.hits)
    return replaced(
        first,
        hits=tuple(hits[:most]),
        total=first.total + second.total,
        verdict=first.verdict if has_first else second.verdict,
        guessed=first.guessed and second.guessed,
    )


@dataclass(slots=True)
class Finder:
    """Search over one index. `embedder` loads the model, when one is installed.

    `personal` searches the user's own memories where the project's are in a team's database; its hits are
    merged by score. `make_vectors` replaces the matrix beside the index.

    `chosen_strategy` is the user's; None means the best that is installed. `missing` says why the configured
    model cannot be used. If the model is missing, damaged or busy, search falls back to words.

    `model_version` says whose vectors are wanted, so that a search that lacks most of them does not load the
    model for nothing. With `latin_only`, texts in other scripts are searched for by words: a model of English
    takes any two of them for similar.

    `reranking` corrects the order of the best hits, where a server has a reranker; `missing_reranker` says
    why it cannot use the configured one. Hits of `personal` are not reranked.
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
    model_version: str = ""
    slice_seconds: float = SLICE_SECONDS
    latin_only: bool = False
    reranking: "Reranking | None" = None
    missing_reranker: str = ""
    _model: "Embedder | None" = None
    personal: "Finder | None" = None
    make_vectors: "Callable[[Embedder], VectorStore] | None" = None
    _vectors: "tuple[IndexReader, VectorStore] | None" = None
    _authorities: "tuple[object, Mapping[UnifiedId, float]] | None" = None

    def find(self, request: Request, progress: Progress | None = None) -> SearchResult:
        """Search what the files contain now."""
        return self.index.updated(lambda: self.ask(request), progress)

    def ask(self, request: Request) -> SearchResult:
        """Search what the index contains already, without a look at the files."""
        if self.personal is None:
            return self._ask(request)
        everything = replaced(request, offset=0, limit=request.offset + request.limit)
        theirs, own = self._ask(everything), self.personal.find(everything)
        answer = merged(theirs.answer, own.answer, self.most if request.mode == "auto" else None)
        hits = answer.hits if request.mode == "auto" else answer.hits[request.offset :][: request.limit]
        return replaced(theirs, answer=replaced(answer, hits=hits), notes=theirs.notes + own.notes)

    def _ask(self, request: Request) -> SearchResult:
        index = self.index.reader()
        reranker = self.reranking.timed(request) if self.reranking else None
        notes = [self.missing] if self._misses_model(request) else []
        if self.missing_reranker and request.mode == "search":
            notes.append(self.missing_reranker)
        try:
            strategy, answer, matches = self._run(
                request, index, self._strategy(request), notes, reranker
            )
        except ModelError as error:
            is_asked_for = request.strategy is not None and request.mode == "search"
            if is_asked_for and not isinstance(error, ModelBusyError):
                raise  # only a search that asks for the model by name fails without it
            notes = [f"search uses words only: {error}"]
            strategy, answer, matches = self._run(request, index, "fts5_bm25", notes, reranker)
        if answer.not_reranked:
            notes.append(answer.not_reranked)
        warnings = (*self.index.notes, *notes, *(self.graph.warnings if self.graph else ()))
        self.index.notes.clear()
        if self.graph:
            self.graph.warnings.clear()
        return SearchResult(answer, strategy, warnings, matches)

    def _run(
        self,
        request: Request,
        index: IndexReader,
        strategy: Strategy,
        notes: list[str],
        reranker: "Reranker | None",
    ) -> tuple[Strategy, Answer, Callable[[str], bool]]:
        """The strategy that was used, its answer, and a test for the words it looked for."""
        vectors = self._embedded(index, notes) if strategy == "hybrid" else None
        if strategy == "hybrid" and vectors is None:
            strategy = "fts5_bm25"  # a lexical result must not be reported as hybrid
        with index.snapshot():
            answer = self._answer(request, index, strategy, vectors, reranker)
            return strategy, answer, _matcher(answer, index)

    def _answer(
        self,
        request: Request,
        index: IndexReader,
        strategy: Strategy,
        vectors: "VectorStore | None",
        reranker: "Reranker | None",
    ) -> Answer:
        settings = Settings(
            strategy,
            self.fusion,
            vectors,
            request.attention,
            diverse=self.diverse,
            threshold=request.threshold,
            channels=request.channels,
            reranker=None if strategy == "title_tags" else reranker,  # that one stays as it was
        )
        text, filters = request.text, request.filters
        if request.mode == "auto":
            return pipeline.recall(text, index, filters, settings, files=request.files, most=self.most)
        authority = self._authority(index)
        searching = replaced(settings, graph=self.graph, authority=authority, now=request.now)
        return pipeline.search(
            text, index, filters, searching, limit=request.limit, offset=request.offset
        )

    def _authority(self, index: IndexReader) -> "Mapping[UnifiedId, float]":
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
        readable = not self.latin_only or is_latin(request.text)
        best: Strategy = "hybrid" if self.embedder and readable else "fts5_bm25"
        return request.strategy or self.chosen_strategy or best

    def _misses_model(self, request: Request) -> bool:
        """Whether a search would use the configured model if it could, because no strategy was chosen."""
        is_free = request.strategy is None and self.chosen_strategy is None
        return bool(self.missing) and is_free and request.mode == "search"

    def _embedded(self, index: IndexReader, notes: list[str]) -> "VectorStore | None":
        """The vectors, after a moment for those that are missing; None while too many are."""
        if self.embedder is None:
            notes.append(self.missing or _NO_MODEL)
            return None
        most = (1 - ENOUGH_EMBEDDED) * index.size
        missing = self._missing_at_a_glance(index)
        vectors = None
        if missing <= max(most, FEW_MISSING):
            vectors = self.vectors()
            assert vectors is not None
            missing = vectors.missing()
        if vectors is not None and 0 < missing <= max(most, FEW_MISSING):
            missing = self._embed_some(vectors, notes)
        if missing:
            consequence = ", so search uses words" if missing > most else ""
            notes.append(f"{missing} memories have no vectors yet{consequence}; run `recollect index`")
        return vectors if missing <= most else None

    def _missing_at_a_glance(self, index: IndexReader) -> int:
        """How many documents have no vectors, as the index alone has it; 0 once the model is in use."""
        if self._model is not None or not self.model_version:
            return 0
        return index.count_without_vectors(self.model_version)

    def _embed_some(self, vectors: "VectorStore", notes: list[str]) -> int:
        """Embed missing documents for a moment; returns how many are missing still."""
        texts = count()
        end = 0.0

        def is_time_up() -> bool:
            nonlocal end
            if next(texts) <= 1:  # the first text may have loaded the model
                end = monotonic() + self.slice_seconds
            return monotonic() >= end

        try:
            vectors.embed(stop=is_time_up)
        except (OSError, UnwritableError) as error:
            notes.append(f"new vectors cannot be stored ({error})")
        except ModelBusyError:
            pass  # the next search finds what it is making
        return vectors.missing()

    def update(self) -> None:
        """Update the index from its files or documents."""
        self.index.update()

    def embed(self, progress: Progress | None = None, stop: Callable[[], bool] = lambda: False) -> int:
        """Embed the documents that have no vectors, until `stop`; returns how many, 0 without a model."""
        vectors = self.vectors()
        return 0 if vectors is None else vectors.embed(progress, stop)

    def count_missing(self) -> int:
        """How many documents have no vectors; 0 without a model."""
        vectors = self.vectors()
        return 0 if vectors is None else vectors.missing()

    def forget(self, title: str, body: str) -> bool:
        """Erase a deleted document from the index and its vectors; False while others use the index."""
        rewritten = self.index.rewrite()
        if (vectors := self.vectors()) is not None:
            vectors.forget(title, body)
        return rewritten

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

    def vectors(self) -> "VectorStore | None":
        """The vectors of this index; None without a model."""
        if self.embedder is None:
            return None
        index = self.index.reader()
        if self._vectors is None or self._vectors[0] is not index:
            self._model = self._model or self.embedder()
            make = self.make_vectors or self._matrix
            self._vectors = index, make(self._model)
        return self._vectors[1]

    def _matrix(self, model: "Embedder") -> "VectorStore":
        """The vectors beside an index on this machine."""
        from recollect.storage.matrix import MatrixVectors  # noqa: PLC0415 - numpy costs 100 ms
        from recollect.storage.sqlite.index import SqliteIndex  # noqa: PLC0415

        index = self.index.reader()
        assert isinstance(index, SqliteIndex)
        folder = None if self.index.in_memory else self.index.folder
        return MatrixVectors(index.passages(), folder, model)


def embedder_of(
    model: InstalledModel | None,
    cache: Path,
    run: "RunModel | None" = None,
    answer_seconds: float | None = None,
) -> "Callable[[], Embedder] | None":
    """How to load an installed model; None without a model or without the packages that run it.

    With `answer_seconds` it is loaded and run in the background, and is busy for who waits so long.
    """
    if model is None or not runnable():
        return None

    def load() -> "Embedder":
        from recollect.storage.models.embedder import CachingEmbedder  # noqa: PLC0415

        return CachingEmbedder(model.version, lambda: (run or run_model)(model), cache)

    def load_in_background() -> "Embedder":
        from recollect.app.bounded_model import BoundedEmbedder  # noqa: PLC0415

        assert answer_seconds is not None
        return BoundedEmbedder(model.name, model.version, load, answer_seconds)

    return load if answer_seconds is None else load_in_background


def run_model(model: InstalledModel) -> "Embedder":
    """Load a model into this process. Raises ModelError."""
    from recollect.storage.models.onnx import OnnxEmbedder  # noqa: PLC0415 - costs half a second

    model.check_current()  # other files would give other vectors for the same version
    return OnnxEmbedder(model)
