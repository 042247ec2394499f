"""What reading the best hits costs: pairs of texts through a model of a small reranker's width.

Run: python docs/measurements/reranking.py. No reranker is needed: the default embedding model has the width
of the default reranker and twice its layers, and time is all that is measured. One by one, in one batch, and
the embedding of a short query take turns, so that a busy machine slows all of them alike.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from recollect.app.models import open_models
from recollect.retrieval.fusion import RERANKED
from recollect.storage.models.manifest import PAIR_TOKENS
from recollect.storage.models.onnx_session import Arrays, OnnxSession

ROUNDS = 40
QUERY_TOKENS = 16
WAIT = 60.0


def arrays(rows: int, tokens: int, seed: int = 1) -> Arrays:
    """Texts of this length, of random words."""
    ids = np.random.default_rng(seed).integers(1000, 20_000, (rows, tokens))
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}


def main() -> int:
    models = open_models()
    model = models.folder.get(models.used)
    if model is None:
        print("install the default model first: recollect model install", file=sys.stderr)
        return 1
    session = OnnxSession(model)
    pairs = [arrays(1, PAIR_TOKENS, seed) for seed in range(RERANKED)]
    works: dict[str, Callable[[], object]] = {
        f"a query of {QUERY_TOKENS} tokens": lambda: session.outputs(
            [arrays(1, QUERY_TOKENS)], WAIT, at_once=False
        ),
        f"{RERANKED} pairs of {PAIR_TOKENS} tokens, one by one": lambda: session.outputs(
            pairs, WAIT, at_once=False
        ),
        f"{RERANKED} pairs of {PAIR_TOKENS} tokens, in one batch": lambda: session.outputs(
            [arrays(RERANKED, PAIR_TOKENS)], WAIT, at_once=False
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            times[name].append((time.perf_counter() - start) * 1000)
    base = statistics.median(next(iter(times.values())))
    print(f"{model.name}, {ROUNDS} rounds, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, values in times.items():
        middle = statistics.median(values)
        print(
            f"{name}: p50 {middle:.1f} ms, least {min(values):.1f} ms, {middle / base:.1f}x the query"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
