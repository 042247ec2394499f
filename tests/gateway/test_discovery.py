"""Which tools fit a request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.tools import CATALOGUE, tool
from tests.requirements import requirement

from recollect.gateway.discovery import Discovery, Experience, ToolExplanation, discover
from recollect.gateway.relevance import tool_index
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import tool_graph

INDEX = tool_index(CATALOGUE)


def ids(found: Discovery) -> list[str]:
    return [hit.tool.id for hit in found.hits]


@requirement("gateway:discovery:exact-name")
@pytest.mark.parametrize("known", CATALOGUE, ids=lambda tool: tool.id)
@pytest.mark.parametrize("spelling", ["name", "id", "dashes", "capitals"])
def test_an_exact_name_is_first_however_it_is_spelt(known: UpstreamTool, spelling: str) -> None:
    text = {
        "name": known.name,
        "id": known.id,
        "dashes": known.name.replace("_", "-"),
        "capitals": known.name.upper(),
    }[spelling]

    found = discover(text, INDEX)

    assert found.hits[0].tool == known
    assert found.confidence == 1.0


def test_an_exact_name_is_first_although_a_better_description_and_the_graph_speak_for_others() -> None:
    tools = [tool("a:log", "Nothing."), tool("b:history", "log log log, the log of logs", log="a log")]
    graph = tool_graph([("b:history", "c:used", 1.0)], {"c:used": 100})

    found = discover("log", tool_index(tools), experience=Experience(("c:used",), graph))

    assert ids(found) == ["a:log", "b:history"]


def test_a_name_that_two_servers_have_finds_both() -> None:
    tools = [tool("a:search", "Search mail."), tool("b:search", "Search the web."), tool("b:send", "")]

    assert ids(discover("search", tool_index(tools))) == ["a:search", "b:search"]


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("rename the directories", "files:move_file"),
        ("show what was committed, the history", "git:git_log"),
        ("which timezone", "time:get_current_time"),
        ("how many entries, max count", "git:git_log"),
        ("air quality for 90210", "weather:airqualityforecast"),
    ],
)
def test_a_tool_is_found_by_what_it_does(request_text: str, expected: str) -> None:
    assert ids(discover(request_text, INDEX))[0] == expected


def test_each_step_of_a_request_finds_its_tool() -> None:
    text = "Copy the remote repository. Install its dependencies, then publish the build on staging."

    assert {"git:git_clone", "npm:npm_install", "host:deploy"} <= set(ids(discover(text, INDEX))[:4])


@requirement("gateway:discovery:no-tool")
def test_a_request_that_shares_no_word_with_any_tool_fits_none() -> None:
    found = discover("paint the fence", INDEX)

    assert not found.fits
    assert discover("rename a file or a directory", INDEX).fits


def test_an_empty_catalogue_and_an_empty_request_find_nothing() -> None:
    assert discover("anything", tool_index([])) == Discovery(())
    assert not discover("", INDEX).fits


def test_meaning_finds_what_shares_no_word() -> None:
    nearest = [1.0 if known.id == "host:deploy" else 0.1 for known in INDEX.tools]

    assert ids(discover("ship it", INDEX, lambda _: nearest))[0] == "host:deploy"


def test_the_model_reads_a_request_once_however_many_steps_it_has() -> None:
    texts: list[str] = []

    def cosines(text: str) -> list[float]:
        texts.append(text)
        return [0.5] * len(INDEX.tools)

    discover("Copy the repository. Install it, then publish it.", INDEX, cosines)

    assert texts == ["Copy the repository. Install it, then publish it."]


def test_a_tool_that_is_not_embedded_yet_is_found_by_words_among_others_that_are() -> None:
    cosines = [None if known.id == "git:git_log" else 0.2 for known in INDEX.tools]
    nearest = [
        0.9 if known.id == "host:deploy" else cosine
        for known, cosine in zip(INDEX.tools, cosines, strict=True)
    ]

    by_words = discover("show the history of commits", INDEX, lambda _: cosines)
    by_meaning = discover("ship it", INDEX, lambda _: nearest)

    assert ids(by_words)[0] == "git:git_log"
    assert by_words.hits[0].why.meaning is None
    assert by_words.signals is not None
    assert by_words.signals.meaning is None
    assert ids(by_meaning)[0] == "host:deploy"


def test_a_tool_whose_server_has_another_that_fits_comes_before_its_equal() -> None:
    tools = [
        tool("a:list_orders", "List the orders."),
        tool("b:list_orders", "List the orders."),
        tool("b:count_orders", "Count the orders."),
    ]

    assert ids(discover("list the orders", tool_index(tools))) == [
        "b:list_orders",
        "a:list_orders",
        "b:count_orders",
    ]
    alone = discover("list the orders", tool_index(tools[1:])).hits[0].why
    assert alone.relevance == alone.words == 1.0, "in a catalogue of one server nothing is lowered"


@requirement("gateway:discovery:formula")
def test_the_score_is_relevance_by_reliability_and_graph_by_their_shares() -> None:
    why = ToolExplanation(1.0, 0.7, relevance=0.8, reliability=0.5, graph=1.0, alpha=0.6)

    assert why.score == pytest.approx(0.6 * 0.8 * 0.5 + 0.4 * 1.0)


def test_a_tool_that_often_fails_falls_behind_one_that_works() -> None:
    tools = [tool("a:send_mail", "Send a mail."), tool("b:mail_send", "Send a mail.")]
    index = tool_index(tools)
    first = ids(discover("send a mail", index))[0]

    found = discover("send a mail", index, experience=Experience(reliability={first: 0.4}))

    assert ids(found)[-1] == first


def test_the_step_that_nobody_named_comes_in_through_the_graph() -> None:
    taught = tool_graph(
        [("git:git_clone", "npm:npm_install", 1.0), ("npm:npm_install", "host:deploy", 1.0)],
        {"git:git_clone": 100},
    )
    text = "publish a build on the hosting service"

    without = ids(discover(text, INDEX, limit=3))
    found = ids(discover(text, INDEX, experience=Experience(("git:git_clone",), taught), limit=3))

    assert "npm:npm_install" not in without
    assert "npm:npm_install" in found


def test_without_tools_in_use_the_graph_has_no_say() -> None:
    taught = tool_graph([("git:git_clone", "npm:npm_install", 1.0)], {"git:git_clone": 100})

    assert discover("clone", INDEX, experience=Experience((), taught)) == discover("clone", INDEX)


@given(st.text(max_size=200), st.permutations(CATALOGUE))
def test_any_text_is_answered_and_the_order_of_the_catalogue_changes_nothing(
    text: str, tools: list[UpstreamTool]
) -> None:
    found = discover(text, tool_index(tools))

    assert found == discover(text, INDEX)
    assert 0.0 <= found.confidence <= 1.0
    scores = [hit.why.score for hit in found.hits if not hit.why.exact]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
