"""Memories and prompts in seven languages."""

from collections import Counter

import pytest
from tests.requirements import requirement

from recollect.app.opening import open_corpus
from recollect.bench import languages
from recollect.bench.gate import by_kind
from recollect.retrieval.gate import LEXICAL
from recollect.retrieval.request import Request

LANGUAGES = ["ru", "zh", "ja", "ko", "ar", "de", "hi"]


def test_each_language_has_five_memories_and_ten_prompts() -> None:
    ids = [str(memory.id) for memory in languages.memories()]
    prompts = Counter(prompt.language for prompt in languages.prompts())

    assert Counter(id.removeprefix("mem:")[:2] for id in ids) == dict.fromkeys(LANGUAGES, 5)
    assert prompts == dict.fromkeys(LANGUAGES, 10)
    assert {prompt.relevant for prompt in languages.prompts()} <= {
        *(m.id for m in languages.memories()),
        None,
    }


@requirement("retrieval:languages:own-words")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_memory_is_the_first_hit_for_a_question_in_its_own_words(language: str) -> None:
    finder = open_corpus(languages.memories(), env={"HOME": "/nowhere"})
    asked = [
        prompt for prompt in languages.prompts() if prompt.language == language and prompt.relevant
    ]

    first = [finder.find(Request(prompt.text, strategy="fts5_bm25")).answer.hits[0] for prompt in asked]

    assert [hit.document.id for hit in first] == [prompt.relevant for prompt in asked]


@requirement("retrieval:languages:own-words")
def test_prompts_get_the_memory_of_their_language_and_others_get_nothing() -> None:
    outcomes = by_kind(languages.cases("fts5_bm25"), LEXICAL.threshold)

    for language in LANGUAGES:
        assert (outcomes[language].injected_rate, outcomes[language].precision) == (1, 1)
        assert outcomes[language + languages.OTHER].injected_rate == 0
