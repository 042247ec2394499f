"""Does working memory help to find earlier sessions? Recency, search, and search with the session boost."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.bench import json_lines
from recollect.bench.corpora import LabelledCorpus, corpora, has_model, labelled
from recollect.bench.data_sets import DataSet, LabelledQuery
from recollect.bench.metrics import bootstrap, ndcg
from recollect.ids import UnifiedId
from recollect.retrieval.boosts import Attention
from recollect.retrieval.request import Request
from recollect.retrieval.search import Strategy
from recollect.values import replaced
from recollect.views.benches import SessionRecallRow
from recollect.working.session import Item, Provenance, WorkingMemory, add, advance

_EDIT = 0.5  # the attention that the default rule gives an edited file


@dataclass(frozen=True, slots=True)
class EditedFiles:
    """The files that each session edited, by its id; ids are in the order of time."""

    files: dict[str, tuple[str, ...]]

    def attention(self, before: str) -> Attention:
        """The attention at the start of a session, from the last edits of earlier sessions.

        Its own edits are not used, because the labels were made from them.
        """
        memory = WorkingMemory()
        for session in sorted(id for id in self.files if id < before):
            for path in self.files[session]:
                memory = advance(memory).memory
                item = Item(path, _EDIT, memory.event, Provenance("Edit", "file-edited", memory.event))
                memory = add(memory, item).memory
        levels = {item.content: level for item, level in memory.ranked()}
        attention_by_session = {
            UnifiedId(session): max(levels.get(path, 0.0) for path in paths)
            for session, paths in self.files.items()
            if session < before and any(path in levels for path in paths)
        }
        return Attention(attention_by_session, {})


def read_edited_files(folder: Path) -> EditedFiles | None:
    """The files that the sessions of a set edited; None for a set without that field."""
    files: dict[str, tuple[str, ...]] = {}
    for line in json_lines.read(folder / "corpus.jsonl.gz"):
        if "edited" not in line.row:
            return None
        files[line.name("id")] = tuple(map(str, line.row["edited"]))
    return EditedFiles(files)


def measure(data: DataSet, known: EditedFiles | None) -> dict[str, SessionRecallRow]:
    """The quality of each method over all labelled questions. Without a model, lexical methods only."""
    questions, corpora_by_group = labelled(data), corpora(data)
    newest = [_newest(question, corpora_by_group[question.group]) for question in questions]
    rows = {"recency": _row(_scores(newest, questions))}
    for name, strategy in _strategies().items():
        request = Request("", strategy=strategy, limit=10)
        plain = _scores(
            [_ranking(question, corpora_by_group, request) for question in questions], questions
        )
        rows[name] = _row(plain)
        if known is None:
            continue
        attended = [
            replaced(request, attention=known.attention(question.before or ""))
            for question in questions
        ]
        pairs = zip(questions, attended, strict=True)
        boosted = _scores(
            [
                _ranking(question, corpora_by_group, request_with_attention)
                for question, request_with_attention in pairs
            ],
            questions,
        )
        gains = [after - before for after, before in zip(boosted, plain, strict=True)]
        gain = bootstrap(gains)
        row = rows[f"{name} with session boost"] = _row(boosted)
        row["gain"] = round(gain.mean, 4)
        row["gain_interval"] = [round(gain.low, 4), round(gain.high, 4)]
    return rows


def _row(scores: Sequence[float]) -> SessionRecallRow:
    return {"ndcg@10": round(statistics.fmean(scores), 4) if scores else 0.0}


def _strategies() -> dict[str, Strategy]:
    words: dict[str, Strategy] = {"lexical": "fts5_bm25"}
    return words | {"hybrid": "hybrid"} if has_model() else words


def _ranking(
    question: LabelledQuery, corpora_by_group: Mapping[str, LabelledCorpus], request: Request
) -> list[str]:
    corpus = corpora_by_group[question.group]
    if request.strategy == "hybrid":
        corpus.embed()
    return [str(hit.document.id) for hit in corpus.find(question, request).answer.hits]


def _scores(rankings: Sequence[Sequence[str]], questions: Sequence[LabelledQuery]) -> list[float]:
    pairs = zip(rankings, questions, strict=True)
    return [ndcg(ranking, question.grades, 10) for ranking, question in pairs]


def _newest(question: LabelledQuery, corpus: LabelledCorpus) -> list[str]:
    """The sessions before this one, the newest first."""
    earlier = [id for id in corpus.order if question.before is None or id < question.before]
    return sorted(earlier, reverse=True)[:10]
