"""Is it fast enough? Each budget is measured beside a baseline of the same run."""

import importlib.util
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.app.opening import open_corpus
from recollect.bench import bare_sqlite, sample_project
from recollect.bench.corpora import has_model
from recollect.bench.generated_memories import documents, generated_project
from recollect.bench.timing import compared, timed
from recollect.retrieval.request import Request
from recollect.retrieval.search import Strategy
from recollect.values import replaced
from recollect.views.benches import SpeedRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDTH = 384
QUERIES = (
    "queue timeout retry",
    "why do we shard the ledger",
    "refund webhook fails for the partner after a rollback of the schema migration",
    "token login session",
    "cursor latency budget of the search index",
)


def measure(count: int = 10_000, large: int = 100_000, rounds: int = 60) -> Iterator[SpeedRow]:
    """Each budget in turn, over memories made up for it; vectors only where there is numpy.

    Prompts are the long ones of the hand-made set, and only where there is a model.
    """
    yield searching(count, rounds)
    if has_model():
        yield prompting()
    yield updating(count)
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        at = Path(folder) / "index.db"
        filled = open_corpus(list(documents(large)), at=at)
        filled.update()
        filled.close()
        yield opening(at, large)
        if importlib.util.find_spec("numpy"):
            yield comparing(at, large, rounds)


def searching(count: int, rounds: int) -> SpeedRow:
    """A search by words in an open index, against a bare FTS5 query for the same words."""
    generated = list(documents(count))
    finder = open_corpus(generated)
    texts = [f"{document.title}\n{document.body}" for document in generated]
    queries = [*QUERIES, *(QUERIES[turn % len(QUERIES)] for turn in range(rounds))]
    times = _times_over_queries(lambda query: finder.ask(Request(query, strategy="fts5_bm25")), rounds)
    base = bare_sqlite.full_text_queries(texts, queries, len(QUERIES))
    return compared(f"search by words, {count:,}", times, 20.0, "bare FTS5", base)


def prompting() -> SpeedRow:
    """A search for a pasted page with a model, which a hook waits 50 ms for, against a lexical one."""
    finder = open_corpus(sample_project.memories())
    texts = [prompt.query for prompt in sample_project.prompts() if prompt.kind.startswith("long")]

    def times_of(strategy: Strategy) -> list[float]:
        request = Request(texts[0], mode="auto", strategy=strategy)
        finder.update()
        finder.embed()
        finder.find(request)
        return [timed(lambda text=text: finder.ask(replaced(request, text=text))) for text in texts]  # type: ignore[misc]

    return compared(
        "a long prompt with a model", times_of("hybrid"), 50.0, "by words", times_of("fts5_bm25")
    )


def updating(count: int) -> SpeedRow:
    """Updating the index after one changed file, against only listing the files."""
    times, base = [], []
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        recollect = generated_project(Path(folder), count)
        root = recollect.root
        recollect.search.update_index()
        _age(root)
        recollect.search.update_index()
        for path in sorted((root / "decisions").glob("*.json"))[:10]:
            base.append(timed(lambda: _listed(root)))
            path.write_text(path.read_text("utf-8").replace("accepted", "proposed"), "utf-8")
            times.append(timed(recollect.search.update_index))
    return compared(f"update one file of {count:,}", times, 100.0, "listing the files", base)


def _listed(root: Path) -> list[tuple[str, int, int]]:
    """Name, time and size of every file of a memory root: the minimum for detecting a change."""
    files = []
    for folder in root.iterdir():
        if folder.is_dir():
            with os.scandir(folder) as listing:
                states = [(entry.name, entry.stat()) for entry in listing]
            files += [(name, state.st_mtime_ns, state.st_size) for name, state in states]
    return files


def _age(root: Path) -> None:
    """Set older modification times, because recently written files are read again."""
    hour_ago = time.time() - 3600
    for path in root.glob("*/*.json"):
        os.utime(path, (hour_ago, hour_ago))


def opening(at: Path, count: int) -> SpeedRow:
    """Opening an index and reading its size, against opening an empty database."""
    times = [timed(lambda: open_corpus([], at=at).size) for _ in range(15)]
    base = bare_sqlite.opening(15)
    return compared(f"open the index of {count:,}", times, 10.0, "an empty database", base)


class _Chance:
    """A fake model: a random vector for every text."""

    version = "chance"

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - an optional dependency

        self._chance = np.random.default_rng(7)

    def query(self, _text: str) -> "NDArray[np.float32]":
        vector = self._chance.standard_normal(WIDTH, dtype="float32")
        return vector / sqrt(float(vector @ vector))

    def passages(self, texts: Sequence[str]) -> "Iterator[NDArray[np.float32]]":
        return (self.query(text) for text in texts)


def comparing(at: Path, count: int, rounds: int) -> SpeedRow:
    """Exact search over every vector, against the bare product of matrix and query."""
    import numpy as np  # noqa: PLC0415 - an optional dependency

    model = _Chance()
    finder = open_corpus([], at=at, embedder=lambda: model)
    finder.embed()
    request = Request("")
    times = _times_over_queries(lambda text: finder.nearest(text, request.filters, 100), rounds)
    matrix = np.stack(list(model.passages([""] * count)))
    base = _times_over_queries(lambda text: matrix @ model.query(text), rounds)
    return compared(f"search {count:,} vectors", times, 20.0, "bare product", base)


def _times_over_queries(work: Callable[[str], object], rounds: int) -> list[float]:
    for query in QUERIES:
        work(query)
    queries = (QUERIES[turn % len(QUERIES)] for turn in range(rounds))
    return [timed(lambda query=query: work(query)) for query in queries]  # type: ignore[misc]
