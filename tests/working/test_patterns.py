from recollect.working.patterns import FAMILIES


def test_every_family_has_a_name_of_its_own() -> None:
    kinds = [family.kind for family in FAMILIES]

    assert len(kinds) == len(set(kinds))


def test_no_family_matches_nothing() -> None:
    assert [family.kind for family in FAMILIES if family.pattern.search("")] == []
