"""Words of tools and requests."""

import pytest
from tests.gateway.tools import tool

from recollect.gateway.lexical import pieces, term_index, terms, terms_of
from recollect.gateway.steps import steps
from recollect.gateway.tool import Parameter, ToolTexts, UpstreamTool, parameters, texts_of


def test_a_word_of_the_name_counts_more_than_one_of_a_parameter() -> None:
    index = term_index([terms_of(tool("s:weather")), terms_of(tool("s:other", weather="here"))])

    scores = index.scores(terms("weather"))

    assert scores[0] > scores[1] > 0


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    index = term_index([terms_of(tool(f"s:t{n}", "common" + (" rare" * (n == 0)))) for n in range(9)])

    assert index.rarity("rare") > index.rarity("common")
    assert index.rarity("unheard") > index.rarity("rare")


def test_words_have_their_stems_and_stop_words_are_left_out() -> None:
    assert terms("the renaming of files") == ["renam", "file"]


def test_pieces_overlap_and_a_short_word_is_one() -> None:
    assert pieces(["quality", "air"]) == ["qual", "uali", "alit", "lity", "air"]


def test_parameters_are_read_from_nested_objects_and_lists() -> None:
    schema = {
        "properties": {
            "who": {"description": "a person", "properties": {"email": {"description": "address"}}},
            "tags": {"items": {"properties": {"label": {"enum": ["red", "blue"]}}}},
        }
    }

    assert list(parameters(schema)) == [
        Parameter("who", "a person"),
        Parameter("email", "address"),
        Parameter("tags", ""),
        Parameter("label", " red blue"),
    ]


@pytest.mark.parametrize("schema", [None, [], {"properties": []}, {"properties": {"a": None}}, 3])
def test_a_malformed_schema_is_no_error(schema: object) -> None:
    assert [parameter.name for parameter in parameters(schema)] in ([], ["a"])


def test_a_schema_that_nests_without_end_is_read_to_a_depth() -> None:
    schema: dict[str, object] = {}
    schema["properties"] = {"again": schema}

    assert len(list(parameters(schema))) == 4


def test_an_embedder_reads_all_of_a_tool_its_description_and_its_name_in_words() -> None:
    assert texts_of(tool("s:readTextFile", "Reads.", maxLines="a limit")) == ToolTexts(
        "read text file. Reads. max lines: a limit", "Reads.", "read text file"
    )
    assert texts_of(UpstreamTool("s", "ping")) == ToolTexts("ping.", "ping.", "ping")


def test_a_request_is_split_at_sentences_lines_and_then() -> None:
    assert steps("Clone it. Install, then deploy\nand tell me") == [
        "Clone it.",
        "Install",
        "deploy",
        "and tell me",
    ]
    assert steps("one thing only") == []
    assert len(steps("go. " * 100)) == 8
