"""Memories in other languages than English, found by words."""

import pytest
from tests.requirements import requirement
from tests.retrieval.corpora import corpus, doc

from recollect.app.finder import Finder
from recollect.retrieval.request import Request
from recollect.retrieval.search_terms import MOST_GUESSED


def ids(finder: Finder, text: str) -> list[str]:
    return [hit.document.id.removeprefix("mem:") for hit in finder.find(Request(text)).answer.hits]


@requirement("retrieval:lexical:any-language")
@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("数据库锁超时后重试三次", ["数据库", "锁", "超时", "重试三次", "次"]),
        ("データベースのロックは三回再試行する", ["データベース", "ロック", "再試行", "三回"]),
        ("Блокировка базы данных снимается через час", ["блокировка", "ДАННЫХ", "базы данных"]),
        ("قاعدة البيانات تعيد المحاولة ثلاث مرات", ["البيانات", "المحاولة", "قاعدة البيانات"]),
        ("데이터베이스 잠금은 세 번 다시 시도한다", ["데이터베이스", "잠금", "시도"]),
    ],
)
def test_a_memory_in_any_language_is_found_by_its_own_words(text: str, queries: list[str]) -> None:
    finder = corpus(doc("a", "x", text), doc("b", "Queue", "English 中国 日本 мир سلام 한국"))

    for query in queries:
        assert ids(finder, query) == ["a"], query


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("Пользователи и сервер", ["пользователь", "пользователей", "сервера", "СЕРВЕРОВ"]),
        ("Настройки хранятся в файлах", ["настройка", "настроек", "файл"]),
        ("القانون يمنع حفظ البيانات", ["قانون", "بيانات", "وقانون", "قَانُون"]),
        ("Πληρωμές", ["πληρωμη", "ΠΛΗΡΩΜΕΣ", "πληρωμών"]),
        ("Straße und Größe", ["STRASSE", "groesse größe", "GRÖSSE"]),
        ("उपयोगकर्ताओं की मुद्रा", ["उपयोगकर्ता", "मुद्राएँ"]),
        ("მომხმარებლები", ["მომხმარებლის", "მომხმარებელი"]),
        ("Release v2.3.1", ["2.3.1", "v2.3.1"]),
    ],
)
def test_a_word_of_another_language_is_found_in_its_other_forms(text: str, queries: list[str]) -> None:
    finder = corpus(doc("a", text), doc("b", "Порт и мир", "باب γη घर Tür 2.3"))

    for query in queries:
        assert ids(finder, query) == ["a"], query


def test_words_of_a_long_query_are_not_taken_for_others() -> None:
    finder = corpus(doc("a", "Настройки"))
    unknown = " ".join(f"слово{number}" for number in range(MOST_GUESSED))

    assert ids(finder, "настроек") == ["a"]
    assert ids(finder, f"настроек {unknown}") == []


@pytest.mark.parametrize("query", ["поле", "дом", "сера", "قاع", "بيت", "मुँह", "πλαν", "Str"])
def test_a_short_word_of_another_language_finds_nothing_that_only_begins_like_it(query: str) -> None:
    texts = ["Пользователи и сервер", "القانون والبيانات", "मुद्रा", "Πληρωμές"]

    assert ids(corpus(*(doc(f"{at}", text) for at, text in enumerate(texts))), query) == []


def test_of_many_single_ideographs_none_is_looked_for_in_every_word() -> None:
    finder = corpus(doc("a", "x", "数据库"))
    others = [chr(ord("一") + number) for number in range(MOST_GUESSED)]

    assert ids(finder, " ".join(["数", *others[1:]])) == ["a"]
    assert ids(finder, " ".join(["数", *others])) == []
