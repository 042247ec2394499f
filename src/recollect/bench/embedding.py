"""How fast are texts embedded, and does anybody wait for it? A project whose memories have no vectors yet."""

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any

from recollect.app.finder import run_model
from recollect.app.models import UserModels, open_models
from recollect.bench.corpora import need_model
from recollect.bench.generated_memories import generated_project
from recollect.bench.hook import clean_environment
from recollect.bench.metrics import percentile
from recollect.bench.speed import QUERIES
from recollect.bench.timing import timed
from recollect.interpreter import python
from recollect.retrieval.gate import EVERYDAY
from recollect.views.benches import BenchEmbeddingOutput, EmbeddingRow, WaitRow

LENGTHS = (30, 200)  # tokens, two of which are the model's own marks
BUDGET_MS = 150.0  # of a search, whatever is missing
GIVE_UP = 600.0
_MISSING = "have no vectors yet"


def measure(count: int, texts: int = 60, rounds: int = 20) -> BenchEmbeddingOutput:
    """Texts in a second, then searches while vectors are missing, and after. Raises NotFoundError."""
    need_model("hybrid")
    models = open_models()
    speeds = [_speed(models, length, texts) for length in LENGTHS]
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        generated_project(folder, count)
        env = clean_environment(folder)
        env |= {"RECOLLECT_HOME": str(folder / "home"), "RECOLLECT_MODEL": models.used}
        _link_models(models, folder / "home")
        own, by_words = _by_command(folder, env, max(rounds // 4, 3))
        with _server(folder, env) as client:
            first = [client.search(QUERIES[0])]
            early = [client.search(QUERIES[turn % len(QUERIES)]) for turn in range(rounds)]
            seconds = _until_complete(client)
            late = [client.search(QUERIES[turn % len(QUERIES)]) for turn in range(rounds)]
    return {
        "memories": count,
        "speeds": speeds,
        "waits": [
            _wait("commands, beside those by words", own, by_words),
            _wait("first search over MCP", first),
            _wait("searches over MCP while vectors are missing", early),
            _wait("searches over MCP with all vectors", late),
        ],
        "complete_seconds": round(seconds, 1),
        "budget_ms": BUDGET_MS,
    }


def _speed(models: UserModels, tokens: int, texts: int) -> EmbeddingRow:
    """Texts of so many tokens in a second: one by one, and as passages are embedded."""
    model = models.folder.get(models.used)
    assert model is not None
    embedder = run_model(model)
    words = sorted(EVERYDAY)
    some = [
        " ".join(words[(start * 7 + place) % len(words)] for place in range(tokens - 2))
        for start in range(texts)
    ]
    embedder.query(some[0])
    alone = timed(lambda: [list(embedder.passages([text])) for text in some])
    together = timed(lambda: list(embedder.passages(some)))
    return {
        "tokens": tokens,
        "one_by_one": round(1000 * texts / alone, 1),
        "in_use": round(1000 * texts / together, 1),
    }


def _link_models(models: UserModels, home: Path) -> None:
    """Let the project's user have the installed model, and no vector of it."""
    model = models.folder.get(models.used)
    assert model is not None
    folder = home / "cache" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / model.name).symlink_to(model.folder)


def _by_command(folder: Path, env: Mapping[str, str], rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of search commands, and of those by words in turn with them, which start as long."""
    search = python("-m", "recollect", "search", QUERIES[0], "--json")

    def run(*options: str) -> float:
        command = [*search, *options]
        return timed(
            lambda: subprocess.run(command, cwd=folder, env=env, capture_output=True, check=True)
        )

    run("--strategy", "fts5_bm25")  # builds the index
    pairs = [(run(), run("--strategy", "fts5_bm25")) for _ in range(rounds)]
    return [own for own, _ in pairs], [by_words for _, by_words in pairs]


@dataclass(slots=True)
class _Client:
    """A client over standard input, which measures its searches."""

    requests: IO[bytes]
    answers: IO[bytes]
    _ids: "Iterator[int]"
    notes: Sequence[str] = ()

    def search(self, query: str) -> float:
        """Milliseconds of one search; `notes` are its notes."""
        params = {"name": "memory_search", "arguments": {"query": query}}
        started = time.perf_counter()
        result = self.ask("tools/call", params)
        took = (time.perf_counter() - started) * 1000
        self.notes = result["structuredContent"].get("notes", ())
        return took

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        for line in self.answers:
            message = json.loads(line)
            if message.get("id") == id:
                result: dict[str, Any] = message["result"]
                return result
        raise EOFError("the server has ended")

    def send(self, message: Mapping[str, Any]) -> None:
        self.requests.write(json.dumps(message).encode() + b"\n")
        self.requests.flush()


@contextmanager
def _server(folder: Path, env: Mapping[str, str]) -> Iterator[_Client]:
    pipe = subprocess.PIPE
    command = python("-m", "recollect", "serve")
    with subprocess.Popen(
        command, cwd=folder, env=env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = _Client(process.stdin, process.stdout, count(1))
        about = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
        client.ask("initialize", hello)
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield client
        process.stdin.close()
        process.wait()


def _until_complete(client: _Client) -> float:
    """Seconds until the idle server has all vectors, looked at every two seconds."""
    started = time.perf_counter()
    while time.perf_counter() - started < GIVE_UP:
        time.sleep(2.0)
        client.search(QUERIES[0])
        if not any(_MISSING in note for note in client.notes):
            break
    return time.perf_counter() - started


def _wait(name: str, times: Sequence[float], base: Sequence[float] = (0.0,)) -> WaitRow:
    p95 = max(percentile(times, 0.95) - percentile(base, 0.95), 0.0)
    return {
        "name": name,
        "p50_ms": round(max(statistics.median(times) - statistics.median(base), 0.0), 1),
        "p95_ms": round(p95, 1),
        "kept": p95 <= BUDGET_MS,
    }
