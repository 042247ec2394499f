"""What every catalogue of tools does, whatever stores it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.engines import OpenGateway
from tests.gateway.tools import tool
from tests.requirements import requirement

from recollect.gateway.listing import (
    PromptArgument,
    ServerListing,
    UpstreamPrompt,
    UpstreamResource,
    UpstreamTemplate,
)
from recollect.gateway.ports import Catalogue, CatalogueChange
from recollect.gateway.tool import EffectHints, UpstreamTool

FIRST, SECOND = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"

MakeCatalogue = Callable[[Path], Catalogue]


@pytest.fixture
def make(open_gateway: OpenGateway) -> MakeCatalogue:
    return lambda folder: open_gateway(folder).catalogue


@requirement("gateway:catalogue:cached")
def test_what_was_recorded_is_there_for_the_next_process(make: MakeCatalogue, tmp_path: Path) -> None:
    tools = [tool("b:two", "Second.", n="a number"), tool("b:one", "Größe 測")]

    make(tmp_path).record("b", ServerListing(tools), FIRST)
    catalogue = make(tmp_path)

    assert catalogue.tools() == sorted(tools, key=lambda tool: tool.name)
    assert catalogue.listed() == {"b": FIRST}
    assert catalogue.tool("b", "one") == tools[1]
    assert catalogue.tool("b", "none") is None


def test_a_new_list_replaces_the_old_one_and_says_what_changed(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    catalogue = make(tmp_path)
    catalogue.record("other", ServerListing([tool("other:kept")]), FIRST)
    first = catalogue.record(
        "s", ServerListing([tool("s:stays"), tool("s:goes"), tool("s:turns", "Old.")]), FIRST
    )

    change = catalogue.record(
        "s", ServerListing([tool("s:stays"), tool("s:turns", "New."), tool("s:comes")]), SECOND
    )

    assert first == CatalogueChange(added=("goes", "stays", "turns"))
    assert change == CatalogueChange(added=("comes",), removed=("goes",), changed=("turns",))
    assert [known.id for known in catalogue.tools()] == ["other:kept", "s:comes", "s:stays", "s:turns"]
    assert catalogue.listed() == {"other": FIRST, "s": SECOND}


def test_it_knows_whether_a_list_is_what_a_server_offers(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue, first = make(tmp_path), tool("s:one", "First.")
    resource = UpstreamResource("s", "file:///a", "a")
    listing = ServerListing([first, tool("s:two")], [resource])
    assert not catalogue.has("s", ServerListing([]))
    catalogue.record("s", listing, FIRST)

    assert catalogue.has("s", listing)
    assert catalogue.has("s", ServerListing([tool("s:two"), first], None))
    assert catalogue.has("s", ServerListing([first, tool("s:two"), tool("s:one", "Repeated.")]))
    assert not catalogue.has("s", ServerListing([first]))
    assert not catalogue.has("s", ServerListing([tool("s:one", "Other."), tool("s:two")]))
    assert not catalogue.has("s", replace(listing, resources=[replace(resource, name="b")]))
    assert not catalogue.has("other", listing)


def test_two_changes_in_one_second_are_two_revisions(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue, reader = make(tmp_path), make(tmp_path)
    revisions = []
    for tools in ([tool("s:one")], [tool("s:one", "New.")], [tool("s:one", "New."), tool("s:two")], []):
        catalogue.record("s", ServerListing(tools), FIRST)
        revisions.append(reader.revision())
    catalogue.record("s", ServerListing([]), SECOND)

    assert all(before != after for before, after in pairwise(revisions))
    assert reader.revision() == revisions[-1]


def test_the_same_list_again_changes_nothing(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue = make(tmp_path)
    catalogue.record("s", ServerListing([tool("s:a", x="y")]), FIRST)

    assert catalogue.record("s", ServerListing([tool("s:a", x="y")]), SECOND) == CatalogueChange()


def test_a_changed_schema_is_a_change(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue = make(tmp_path)
    catalogue.record("s", ServerListing([tool("s:a", x="y")]), FIRST)

    assert catalogue.record("s", ServerListing([tool("s:a", x="z")]), SECOND).changed == ("a",)


def test_a_server_without_tools_is_known_and_a_forgotten_one_is_not(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    catalogue = make(tmp_path)
    catalogue.record("empty", ServerListing([]), FIRST)
    catalogue.record("s", ServerListing([tool("s:a")]), FIRST)

    catalogue.forget("s")
    catalogue.forget("never seen")

    assert catalogue.listed() == {"empty": FIRST}
    assert catalogue.tools() == []


def test_everything_that_a_server_declares_is_there_for_the_next_process(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    listing = ServerListing(
        [
            UpstreamTool(
                "s",
                "draw",
                "Draws.",
                {"type": "object"},
                "Draw a map",
                EffectHints(read_only=True, open_world=False),
                {"type": "object", "properties": {"map": {"type": "string"}}},
                {"ui": {"resourceUri": "ui://s/map"}},
            ),
            UpstreamTool("s", "\ud800 lone"),
        ],
        [
            UpstreamResource(
                "s", "file:///a", "a", "A", "The letter.", "text/plain", 0, {"ui": {"x": 1}}
            )
        ],
        [UpstreamTemplate("s", "file:///{name}", "files", "Files", "Any file.", "text/plain")],
        [UpstreamPrompt("s", "ask", "Ask", "Asks.", (PromptArgument("who", "whom", True),))],
    )

    make(tmp_path).record("s", listing, FIRST)
    catalogue = make(tmp_path)

    stored = ServerListing(
        catalogue.tools(), catalogue.resources(), catalogue.templates(), catalogue.prompts()
    )
    assert stored == replace(
        listing, tools=sorted(listing.tools or (), key=lambda tool: tool.name[0] != "\ud800")
    )
    assert catalogue.record("s", listing, SECOND) == CatalogueChange()


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Other"},
        {"hints": EffectHints(read_only=False)},
        {"output_schema": {"type": "object"}},
        {"meta": {"ui": {"resourceUri": "ui://other"}}},
    ],
)
def test_whatever_a_server_declares_otherwise_is_a_change(
    make: MakeCatalogue, tmp_path: Path, other: dict[str, Any]
) -> None:
    catalogue, before = make(tmp_path), replace(tool("s:a"), hints=EffectHints(read_only=True))
    catalogue.record("s", ServerListing([before]), FIRST)

    change = catalogue.record("s", ServerListing([replace(before, **other)]), SECOND)

    assert change.changed == ("a",)


def test_the_order_of_keys_and_of_required_names_is_no_change(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    catalogue = make(tmp_path)
    first = UpstreamTool("s", "a", "", {"type": "object", "required": ["x", "y"]})
    catalogue.record("s", ServerListing([first]), FIRST)

    again = UpstreamTool("s", "a", "", {"required": ["y", "x"], "type": "object"})

    assert catalogue.record("s", ServerListing([again]), SECOND) == CatalogueChange()


def test_a_name_that_is_listed_twice_counts_once_and_is_reported(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    catalogue = make(tmp_path)

    change = catalogue.record(
        "s", ServerListing([tool("s:a", "First."), tool("s:a", "Second.")]), FIRST
    )

    assert change == CatalogueChange(added=("a",), repeated=("a",))
    assert catalogue.tools() == [tool("s:a", "First.")]


def test_a_list_that_a_server_did_not_give_stays_as_it_was(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue, prompt = make(tmp_path), UpstreamPrompt("s", "ask")
    catalogue.record("s", ServerListing([tool("s:a")], prompts=[prompt]), FIRST)

    catalogue.record("s", ServerListing([tool("s:a")], prompts=None), SECOND)
    assert catalogue.prompts() == [prompt]

    catalogue.record("s", ServerListing([tool("s:a")], prompts=[]), SECOND)
    assert catalogue.prompts() == []


def test_an_address_may_be_the_same_at_two_servers(make: MakeCatalogue, tmp_path: Path) -> None:
    catalogue = make(tmp_path)
    for server in "ab":
        listing = ServerListing([], [UpstreamResource(server, "file:///same")])
        catalogue.record(server, listing, FIRST)

    assert [resource.server for resource in catalogue.resources()] == ["a", "b"]


def test_of_two_lists_of_a_server_at_once_one_stays_complete(
    make: MakeCatalogue, tmp_path: Path
) -> None:
    make(tmp_path)
    lists = [[tool(f"s:{letter}{number}") for number in range(10)] for letter in "ab"]

    def work(tools: list[UpstreamTool]) -> None:
        for _ in range(3):
            make(tmp_path).record("s", ServerListing(tools), FIRST)

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(work, lists))

    assert make(tmp_path).tools() in lists
