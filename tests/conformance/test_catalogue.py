"""What every catalogue of tools does, whatever stores it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gateway.tools import tool

from recollect.gateway.ports import Catalogue, CatalogueChange
from recollect.storage.sqlite.catalogue import SqliteCatalogue

FIRST, SECOND = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"

MakeCatalogue = Callable[[Path], Catalogue]


def sqlite_catalogue(folder: Path) -> Catalogue:
    return SqliteCatalogue(str(folder / "gateway.db"))


CATALOGUES: list[MakeCatalogue] = [sqlite_catalogue]


@pytest.fixture(params=CATALOGUES, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> MakeCatalogue:
    factory: MakeCatalogue = request.param
    return factory


def test_what_was_recorded_is_there_for_the_next_process(make: MakeCatalogue, tmp_path: Path) -> None:
    tools = [tool("b:two", "Second.", n="a number"), tool("b:one", "Größe 測")]

    make(tmp_path).record("b", tools, FIRST)
    catalogue = make(tmp_path)

    assert catalogue.tools() == sorted(tools, key=lambda tool: tool.name)
    assert catalogue.listed() == {"b": FIRST}


def test_a_new_list_replaces_the_old_one_and_says_what_changed(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    catalogue = make(tmp_path)
    catalogue.record("other", [tool("other:kept")], FIRST)
    first = catalogue.record("s", [tool("s:stays"), tool("s:goes"), tool("s:turns", "Old.")], FIRST)

    change = catalogue.record("s", [tool("s:stays"), tool("s:turns", "New."), tool("s:comes")], SECOND)

    assert first == CatalogueChange(added=("goes", "stays", "turns"))
    assert change == CatalogueChange(added=("comes",), removed=("goes",), changed=("turns",))
    assert [known.id for known in catalogue.tools()] == ["other:kept", "s:comes", "s:stays", "s:turns"]
    assert catalogue.listed() == {"other": FIRST, "s": SECOND}


def test_the_same_list_again_changes_nothing(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue = make(tmp_path)
    catalogue.record("s", [tool("s:a", x="y")], FIRST)

    assert catalogue.record("s", [tool("s:a", x="y")], SECOND) == CatalogueChange()


def test_a_changed_schema_is_a_change(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue = make(tmp_path)
    catalogue.record("s", [tool("s:a", x="y")], FIRST)

    assert catalogue.record("s", [tool("s:a", x="z")], SECOND).changed == ("a",)


def test_a_server_without_tools_is_known_and_a_forgotten_one_is_not(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    catalogue = make(tmp_path)
    catalogue.record("empty", [], FIRST)
    catalogue.record("s", [tool("s:a")], FIRST)

    catalogue.forget("s")
    catalogue.forget("never seen")

    assert catalogue.listed() == {"empty": FIRST}
    assert catalogue.tools() == []
