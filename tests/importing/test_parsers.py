"""The parsers on arbitrary and on pathological text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.samples import NOW
from tests.timing import growth

from recollect.errors import InvalidError
from recollect.importing import adr, export, rules
from recollect.importing.claude_memory import read as read_memory
from recollect.importing.incoming import Skipped
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
@settings(max_examples=150, deadline=None)
def test_no_text_makes_the_adr_parser_raise_and_what_it_gives_is_valid(text: str, origin: str) -> None:
    for found in adr.read_all([(origin, text)]):
        if hasattr(found, "memory"):
            assert isinstance(found.memory, Draft)
            assert found.memory.as_memory(found.memory.proposed_id(), NOW).title


@requirement("importing:parsers:total")
@given(DOCUMENTS)
@settings(max_examples=150, deadline=None)
def test_no_text_makes_the_rules_parser_raise_and_what_it_gives_is_valid(text: str) -> None:
    origins = []
    for found in rules.read(text, "CLAUDE.md"):
        if hasattr(found, "memory"):
            assert isinstance(found.memory, Draft)
            assert found.memory.as_memory(found.memory.proposed_id(), NOW).title
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
    def run(size: int) -> None:
        text = f"# T\n\n## Decision\n\nUse a.\n\n{head}\n\n" + piece * (size // len(piece))
        list(adr.read_all([("a.md", text)]))
        list(rules.read(text, "CLAUDE.md"))

    assert growth(run, 1_000, 4_000) < 10
