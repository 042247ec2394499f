"""Markdown, cut into what the parsers read."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.samples import NOW

from recollect.errors import InvalidError
from recollect.importing import adr, export, rules
from recollect.importing.blocks import ListItem, Paragraph, Verbatim, blocks, sentences
from recollect.importing.claude_memory import read as read_memory
from recollect.importing.incoming import Skipped
from recollect.markdown.lines import lines
from recollect.records.categories import Category
from recollect.records.draft import Draft

# Pieces that the parsers look for, so that arbitrary text meets every branch.
PIECES = st.sampled_from(
    (
        *(
            "# ",
            "## Status\n",
            "## Decision\n",
            "## Considered Options\n",
            "### ",
            "\n",
            "\n\n",
            "---\n",
        ),
        *(
            "===\n",
            "* ",
            "  - ",
            "1. ",
            "```\n",
            "<!--",
            "-->",
            "`",
            "**",
            "__",
            "|",
            "[",
            "](",
            ")",
            "@a",
        ),
        *(
            "| Status | Date |\n",
            "Chosen option: ",
            '"',
            "because ",
            "Supersedes ",
            "superseded by ADR ",
        ),
        *("7", "Status: ", "Date: 2020-01-01\n", "must ", "never ", "Use ", "\r", "\ufeff", "\x00"),
        *("\u2028", "é", "漢", "{", "}", ":\n", "\t", "    "),
    )
)
DOCUMENTS = st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=8))).map("".join))


@requirement("importing:parsers:total")
@given(DOCUMENTS, st.sampled_from(["docs/adr/0007-x.md", "x.md", "", "#"]))
@settings(max_examples=400, deadline=None)
def test_no_text_makes_the_adr_parser_raise_and_what_it_gives_is_valid(text: str, origin: str) -> None:
    for found in adr.read_all([(origin, text)]):
        if hasattr(found, "what"):
            assert isinstance(found.what, Draft)
            assert found.what.as_memory(found.what.proposed_id(), NOW).title


@requirement("importing:parsers:total")
@given(DOCUMENTS)
@settings(max_examples=400, deadline=None)
def test_no_text_makes_the_rules_parser_raise_and_what_it_gives_is_valid(text: str) -> None:
    origins = []
    for found in rules.read(text, "CLAUDE.md"):
        if hasattr(found, "what"):
            assert isinstance(found.what, Draft)
            assert found.what.as_memory(found.what.proposed_id(), NOW).title
            origins.append(found.origin)
    assert len(origins) == len(set(origins))


@requirement("importing:parsers:total")
@given(st.one_of(st.binary(), DOCUMENTS.map(str.encode)))
def test_no_bytes_make_the_readers_of_json_raise_anything_of_their_own(data: bytes) -> None:
    assert isinstance(read_memory(data, "a.json", Category.DECISION), Skipped)
    with pytest.raises(InvalidError):
        list(export.read(data, "a.json"))


PATHOLOGICAL = (
    *("`", "``", "[", "](", "*a", "_a_", "**", "<!--", "- ", "  - a\n", "# \n", "|", "~~", "> ", "<a"),
    *("# a\n\n- ", "supersedes ", "because ", "a: ", "1.", "\n\n    ", "Chosen option: ", "---\n"),
    *("ADR 1, ", "### a\n", "### Option\n* Bad\n", "* option a\n", " - ", "a. A"),
)


@pytest.mark.parametrize("head", ["## Decision", "## Considered Options", "## Status"])
@pytest.mark.parametrize("piece", PATHOLOGICAL)
def test_the_parsers_take_time_in_proportion_to_the_text(piece: str, head: str) -> None:
    text = f"# T\n\n## Decision\n\nUse a.\n\n{head}\n\n" + piece * (50_000 // len(piece))
    began = time.process_time()
    list(adr.read_all([("a.md", text)]))
    list(rules.read(text, "CLAUDE.md"))

    assert time.process_time() - began < 3


def test_a_section_falls_into_paragraphs_items_and_what_is_no_prose() -> None:
    text = (
        "One\ntwo\n\n* a\n  b\n    * c\n      d\n\n  e\n* [x] f\n\n1) g\n\n> quote\n\n"
        "```\ncode\n```\n| t |\n|---|\n\n    indented\n***\nend"
    )

    assert list(blocks(lines(text))) == [
        Paragraph("One\ntwo", 1),
        ListItem("a b", 4, ("c d e",)),
        ListItem("f", 10),
        ListItem("g", 12),
        Paragraph("quote", 14),
        Verbatim("code", "```\ncode\n```", 16),
        Verbatim("table", "| t |\n|---|", 19),
        Verbatim("code", "    indented", 22),
        Paragraph("end", 24),
    ]


def test_sentences_end_at_full_stops_but_not_at_abbreviations() -> None:
    assert sentences("Use one, e.g. Black. Never two! 好的。不行。") == [
        "Use one, e.g. Black.",
        "Never two!",
        "好的。",
        "不行。",
    ]
