"""Words that tell next to nothing."""

from recollect.retrieval.gate import EVERYDAY, everyday
from recollect.text.stemming import stem, stems


def test_everyday_words_are_known_by_their_stems_and_subjects_are_none_of_them() -> None:
    running, fixed, jwt = stems(["run", "fixing", "jwt"])

    assert everyday([running, fixed, jwt]) == {running, fixed}
    assert everyday([]) == set()
    assert {word for word in EVERYDAY if word != word.lower()} == set()


def test_every_one_of_them_is_known_by_its_stem_alone() -> None:
    for word in sorted(EVERYDAY):
        assert everyday([stem(word)]) == {stem(word)}
