"""What do traces cost? The share of search time, and the size of the database as they accumulate."""

import tempfile
from pathlib import Path
from time import perf_counter, process_time

from recollect.app.traces import BATCH
from recollect.bench.generated_memories import generated_project
from recollect.bench.speed import QUERIES
from recollect.paths import STATE_NAME
from recollect.retrieval.request import Request, SearchResult
from recollect.views.benches import BenchTracingOutput

MOST_SHARE = 0.03
_MORE = 1.5  # times as many searches again, to see that the database does not grow with them


class Spent:
    """Time that blocks took in all, and the processor's part of it."""

    def __init__(self) -> None:
        self.seconds = self.processor = 0.0

    def __enter__(self) -> None:
        self.seconds -= perf_counter()
        self.processor -= process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += perf_counter()
        self.processor += process_time()


def measure(memories: int, searches: int) -> BenchTracingOutput:
    """Search and trace in turn; then trace `searches` searches in all, and 1.5 times as many again."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        recollect = generated_project(Path(folder), memories)
        recollect.search.update_index()
        traces, results = recollect.traces, list[tuple[str, SearchResult]]()
        searching, tracing = Spent(), Spent()
        for turn in range(4 * BATCH):
            text = QUERIES[turn % len(QUERIES)]
            traces.enabled = False
            with searching:
                result = recollect.search.find_indexed(Request(text))
            traces.enabled = True
            with tracing:
                traces.searched(text, "", result.answer, 1.0)
            results.append((text, result))
        traces.write()

        def grow(count: int) -> tuple[int, int]:
            for turn in range(count):
                text, result = results[turn % len(results)]
                traces.searched(text, "", result.answer, 1.0)
            traces.write()
            size = sum(path.stat().st_size for path in recollect.state_folder.glob(f"{STATE_NAME}*"))
            return len(traces.latest(10**6)), size

        rows, size = grow(max(searches - len(results), 0))
        later_rows, later_size = grow(round(searches * _MORE))
    return {
        "memories": memories,
        "searches": searches,
        "search_ms": round(searching.seconds * 1000 / len(results), 4),
        "trace_ms": round(tracing.seconds * 1000 / len(results), 4),
        "share": round(tracing.seconds / searching.seconds, 4),
        "processor_share": round(tracing.processor / searching.processor, 4),
        "budget": MOST_SHARE,
        "traces": rows,
        "megabytes": round(size / 2**20, 2),
        "traces_after_more": later_rows,
        "megabytes_after_more": round(later_size / 2**20, 2),
    }
