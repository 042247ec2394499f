"""Made-up memories to measure with: many, all different, written straight in the file format.

Their words follow Zipf's law, as those of real texts do: a search for common words has much to rank, and
one for rare ones little. One memory answers `ASKED`.
"""

import itertools
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.records.json_format import JsonObject
from recollect.records.record import Memory
from recollect.records.store import Stored
from recollect.retrieval.documents import document_of
from recollect.retrieval.index import Document

SUBJECTS = """cache queue token login invoice partner shard index worker retry timeout schema release branch
    tenant report upload webhook session cursor ledger refund search import export deploy rollback migration
    replica gateway metric alert budget quota cluster backup secret policy region latency""".split()  # noqa: SIM905
_SYLLABLES = (
    *("ba", "ce", "di", "fo", "gu", "ha", "ki", "lo", "mu", "ne", "pi", "ro", "su"),
    *("ta", "ve", "wo", "xi", "yo", "za", "bri", "cro", "dre", "flo", "gra", "plu", "ste"),
)
_VOCABULARY = 8_000  # different words; a few are in most memories and most in a few, as in any text
_STEEPNESS = 1.0  # of Zipf's law: how much rarer each next word is
SAMPLE_PROMPTS = "why does the refund webhook of the partner time out after a rollback"
ANSWER = "The partner's refund webhook times out after a rollback"


def _vocabulary() -> tuple[list[str], list[float]]:
    """Words, the commonest first, and how often they are drawn, added up. Ours are spread over the ranks."""
    chance = random.Random(3)  # noqa: S311 - repeatable, not secret
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(_VOCABULARY)]
    for place, word in enumerate(SUBJECTS):
        words[10 + place * 3] = word
    weights = [1 / (rank + 1) ** _STEEPNESS for rank in range(len(words))]
    return words, list(itertools.accumulate(weights))


_WORDS, _DRAWN = _vocabulary()
_FOLDERS = {"decision": "decisions", "runbook": "runbooks", "preference": "preferences"}


def fill(root: Path, count: int, seed: int = 7) -> None:
    """Write `count` memories below `root`; the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    for folder in _FOLDERS.values():
        (root / folder).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        category = list(_FOLDERS)[number % len(_FOLDERS)]
        document = _document(category, number, chance)
        path = root / _FOLDERS[category] / f"{document['id']}.json"
        path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def generated_project(folder: Path, count: int) -> Recollect:
    """A project in `folder` with `count` memories; the user's settings and memories stay out of it."""
    fill(folder / ".claude" / "memory", count)
    env = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return open_project(folder, env=env | {"RECOLLECT_HOME": str(folder / "home")})


def documents(count: int, seed: int = 7) -> Iterator[Document]:
    """The same memories as things to be found, without files behind them."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    for number in range(count):
        record = _document(list(_FOLDERS)[number % len(_FOLDERS)], number, chance)
        yield document_of(Stored(Memory.parse(cast("JsonObject", record)), f"{number}.json", ""))


def _random_words(chance: random.Random, count: int) -> list[str]:
    return chance.choices(_WORDS, cum_weights=_DRAWN, k=count)


def _document(category: str, number: int, chance: random.Random) -> dict[str, object]:
    subject = " ".join(_random_words(chance, 4))
    return {
        "schema_version": "1.1",
        "category": category,
        "id": f"{category}-{number}",
        "title": f"{subject.capitalize()} {number}" if number else ANSWER,
        "created_at": f"2026-{1 + number % 12:02}-{1 + number % 28:02}T08:00:00Z",
        "updated_at": f"2026-{1 + number % 12:02}-{1 + number % 28:02}T09:00:00Z",
        "tags": sorted(set(_random_words(chance, 3))),
        "record_status": "active",
        "content": _content(category, chance),
    }


def _content(category: str, chance: random.Random) -> dict[str, object]:
    def text(words: int) -> str:
        return " ".join(_random_words(chance, words))

    match category:
        case "decision":
            return {
                "status": "accepted",
                "context": text(30),
                "decision": text(20),
                "rationale": [text(12), text(12)],
            }
        case "runbook":
            return {"trigger": text(12), "steps": [text(10) for _ in range(4)], "verification": text(8)}
        case _:
            return {"topic": text(1), "value": text(14), "reason": text(14), "strength": "default"}
