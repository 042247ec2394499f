"""Words of code and prose, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.text.tokens import LONGEST, tokens, words

SPELLINGS = ("user_id", "userId", "user-id", "user.id", "UserId", "USER_ID")


@requirement("retrieval:tokens:spellings-meet")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_a_compound_gives_the_same_whole_and_parts(spelling: str) -> None:
    assert words(spelling) == [("userid", "user", "id")]


@requirement("retrieval:tokens:parts")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("HTTPServer", [("httpserver", "http", "server")]),
        ("parseHTTPResponse2", [("parsehttpresponse2", "parse", "http", "response2")]),
        ("react.FC", [("reactfc", "react", "fc")]),
        ("v1.2.3", [("123", "v1", "2", "3")]),
        ("v1.2", [("v12", "v1", "2")]),
        ("E1101", [("e1101",)]),
        ("auth-service.internal", [("authserviceinternal", "auth", "service", "internal")]),
        ("__init__", [("init",)]),
        ("end. Start", [("end",), ("start",)]),
        ("one-", [("one",)]),
        ("JSON", [("json",)]),
        ("A b", [("a",), ("b",)]),
        ("", []),
        ("!? ... --", []),
    ],
)
def test_a_text_is_cut_into_words_and_compounds_into_parts(
    text: str, found: list[tuple[str, ...]]
) -> None:
    assert words(text) == found


@requirement("retrieval:tokens:any-script")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("数据库锁", ["数据", "据库", "库锁"]),
        ("锁", ["锁"]),
        ("データベース", ["デー", "ータ", "タベ", "ベー", "ース"]),
        ("데이터", ["데이", "이터"]),
        ("База данных", ["база", "данных"]),
        ("قاعدة البيانات", ["قاعدة", "البيانات"]),
        ("использоватьRedis锁表", ["использоватьredis", "использовать", "redis", "锁表"]),
        ("naïve Größe", ["naïve", "grösse"]),
        ("ฐานข้อมูล", ["ฐา", "าน", "นข", "ข้", "้อ", "อม", "มู", "ูล"]),
        ("मुद्रा दरें", ["मुद्रा", "दरें"]),
        ("порт ٨٠٨٠", ["порт", "8080"]),
        ("ﬁle ｆｕｌｌ", ["file", "full"]),
        ("cafe\u0301", ["café"]),
    ],
)
def test_other_scripts_give_words_or_pairs_of_characters(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_a_letter_with_a_mark_does_not_cut_a_word_in_two() -> None:
    assert words("MüllerStraße") == [("müllerstrasse", "müller", "strasse")]


@pytest.mark.parametrize(
    ("spellings", "found"),
    [
        ("Πληρωμές Πληρωμες ΠΛΗΡΩΜΕΣ πληρωμεσ", "πληρωμεσ"),
        ("straße STRASSE STRAẞE", "strasse"),
        ("größe GRÖSSE Größe", "grösse"),
        ("İstanbul ISTANBUL istanbul", "istanbul"),
        ("Отчёт ОТЧЁТ отчет", "отчет"),
    ],
)
def test_capitals_and_final_letters_do_not_tell_words_apart(spellings: str, found: str) -> None:
    assert {word[0] for word in words(spellings)} == {found}


def test_a_word_in_capitals_of_another_alphabet_is_one_word() -> None:
    assert words("GRÖSSE") == [("grösse",)]
    assert words("HTTP_ÄRGER_ID") == [("httpärgerid", "http", "ärger", "id")]


def test_a_version_is_the_same_with_its_v_and_without() -> None:
    (with_v,), (without,) = words("v2.3.1"), words("2.3.1")

    assert with_v[0] == without[0]


def test_a_blob_gives_no_token_longer_than_the_longest() -> None:
    digest, letters = "9f86d081884c7d65" * 10, "x" * 5000

    assert max(map(len, tokens(f"{digest} {letters} {'ab1' * 500}"))) <= LONGEST
    assert tokens("sha256 of a blob")[0] == "sha256"


@given(st.text(max_size=200) | st.text(st.characters(categories=["L", "M", "N", "Cf", "Zs"])))
def test_any_text_gives_short_tokens_that_are_not_empty_and_hold_no_space(text: str) -> None:
    for token in tokens(text):
        assert len(token.split()) == 1
        assert not set("_.-").intersection(token)
        assert len(token) <= LONGEST


@given(st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=2, max_size=4))
def test_the_parts_of_a_compound_are_found_however_it_is_joined(parts: list[str]) -> None:
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
    expected = [("".join(parts), *parts)]

    assert words("_".join(parts)) == words("-".join(parts)) == words(".".join(parts)) == expected
    assert words(camel) == expected
