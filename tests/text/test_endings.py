"""Forms of a word in languages that SQLite does not stem."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.endings import LEAST_ALIKE, MOST_CUT, SHORTEST, beginnings, root
from recollect.text.tokens import tokens


@pytest.mark.parametrize(
    "forms",
    [
        "пользователь пользователя пользователей пользователи пользователями",
        "сервер сервера серверу серверов серверами",
        "база базы базе базу баз базами",
        "резервная резервное резервного резервной резервных",
        "قانون القانون والقانون قانوني قانونية بالقانون للقانون",
        "مستخدم المستخدمين المستخدمون مستخدمة للمستخدم",
        "إلغاء الإلغاء",
        "πληρωμή πληρωμές πληρωμών πληρωμής",
        "βάση βάσεις βάσης βάσεων",
        "χρήστης χρήστες χρηστών χρήστη",
        "उपयोगकर्ता उपयोगकर्ताओं",
        "फ़ाइल फ़ाइलें फाइलों",
        "नीति नीतियाँ नीतियों",
        "משתמש משתמשים",
    ],
)
def test_the_forms_of_a_word_have_one_root(forms: str) -> None:
    assert len({root(token) for token in tokens(forms)}) == 1


@pytest.mark.parametrize("word", ["мир", "для", "она", "من", "باب", "γη", "घर", "数据", "데이"])
def test_a_short_word_is_its_own_root(word: str) -> None:
    assert root(word) == word


def test_different_words_keep_different_roots() -> None:
    several = tokens("порт пароль платеж поиск польза пользователь сервер серия قانون قاعدة مستخدم ملف")

    assert len({root(word) for word in several}) == len(several)


def test_a_particle_is_left_off_before_letters_at_the_end() -> None:
    assert list(beginnings("وقاعد")) == ["قاعد", "وقاع"]
    assert list(beginnings("настроек")) == ["настрое", "настро", "настр"]
    assert list(beginnings("дома")) == []


@given(st.text(min_size=1))
def test_any_word_has_a_root_and_few_beginnings(word: str) -> None:
    assert root(word) in word
    assert len(root(word)) >= min(len(word), SHORTEST)
    assert len(list(beginnings(word))) <= MOST_CUT + 1
    assert all(len(start) >= min(LEAST_ALIKE, SHORTEST) for start in beginnings(word))
