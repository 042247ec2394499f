"""Words that tell next to nothing."""

from recollect.retrieval.common_words import EVERYDAY, everyday
from recollect.storage.sqlite.stemmer import Stemmer


def test_everyday_words_are_known_by_their_stems_and_subjects_are_none_of_them() -> None:
    stemmer = Stemmer()
    running, fixed, jwt = stemmer.stems(["run", "fixing", "jwt"])

    assert everyday([running, fixed, jwt], stemmer.stems) == {running, fixed}
    assert everyday([], stemmer.stems) == set()
    assert {word for word in EVERYDAY if word != word.lower()} == set()


def test_every_one_of_them_is_known_by_its_stem_alone() -> None:
    stemmer = Stemmer()

    for stem in stemmer.stems(sorted(EVERYDAY)):
        assert everyday([stem], stemmer.stems) == {stem}
