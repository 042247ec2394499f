"""A labelled set cut down to few documents, as a project has in its first weeks."""

import random
from collections.abc import Sequence
from dataclasses import replace

from recollect.bench.data_sets import DataSet, LabelledQuery, LabelledText

MOST_COLLECTIONS = 10  # of a group


def cut_down(data: DataSet, size: int, seed: int = 1) -> DataSet:
    """The set with each group replaced by collections of at most `size` documents, made around answers.

    A collection has the answers of some of the group's questions and others of its documents by chance. A
    question belongs to one collection that has an answer of it; one without answers to any.
    """
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    texts: list[LabelledText] = []
    questions: list[LabelledQuery] = []
    for group in sorted({text.group for text in data.texts}):
        own = [text for text in data.texts if text.group == group]
        prompts = [question for question in data.questions if question.group == group]
        chance.shuffle(prompts)
        collections = _collections(own, prompts, size, chance)
        for number, ids in enumerate(collections):
            texts += [replace(text, group=f"{group}#{number}") for text in own if text.id in ids]
        for place, question in enumerate(prompts):
            fitting = [number for number, ids in enumerate(collections) if _is_answered(question, ids)]
            if not question.grades and collections:
                fitting = [place % len(collections)]
            if fitting:
                questions.append(replace(question, group=f"{group}#{fitting[0]}"))
    return replace(data, texts=tuple(texts), questions=tuple(questions))


def _is_answered(question: LabelledQuery, ids: set[str]) -> bool:
    return any(grade > 0 and id in ids for id, grade in question.grades.items())


def _collections(
    texts: Sequence[LabelledText], prompts: Sequence[LabelledQuery], size: int, chance: random.Random
) -> list[set[str]]:
    """Ids of documents: answers of questions until a collection is full or none is left, then any."""
    collections: list[set[str]] = []
    waiting = [question for question in prompts if question.grades]
    while waiting and len(collections) < MOST_COLLECTIONS:
        ids: set[str] = set()
        while waiting and len(ids) < max(size // 2, 1):
            answers = [id for id, grade in waiting.pop().grades.items() if grade > 0]
            ids.update(answers[: size - len(ids)])
        others = [text.id for text in texts if text.id not in ids]
        ids.update(chance.sample(others, min(len(others), size - len(ids))))
        collections.append(ids)
    return collections
