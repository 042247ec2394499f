"""No sentence of a source is lost: each is in a record, or in what the dry run says about the source."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.importing.texts import LOOSE, MADR, NYGARD, RULES
from tests.requirements import requirement

from recollect.importing import adr, rules
from recollect.importing.incoming import Incoming, Skipped
from recollect.records.body import passages
from recollect.records.draft import Draft

UNUSUAL = """# ADR 7: Networking

Deciders: Ada, Grace
Date: 2024-05-01

Some examples of things to avoid:
1. One network for all
2. Addresses in code

## Definitions

A *segment* is a network of its own. It has one owner.

## Context

Partners reach us over the internet, which is slow.

## Decision

We will use private links, because they are faster. We pay for them by the hour.

```yaml
link: private
```

## Pros and Cons of the Options

### Private links

* Good, because partners trust them
* Bad, because they cost money

### The internet

* Good, because it is there

| region | link |
|---|---|
| north | two |

## Rollout

North first. Then the rest, one by one.
"""
TEAM_RULES = """---
description: how we work
globs: "*.py"
---
# Shop

The shop sells bread. Use four spaces for indentation. Nobody remembers why.

## Tests

In the codex-rs folder where the rust code lives:

- Run `just fmt` after each change
- Typical pattern:

```rust
let x = 1;
```

- Avoid mocks. They hide what breaks.
  - Fakes are fine
  - So are real files

## Commands

- `make test` runs all tests

Typical layout:

| folder | what |
|---|---|
| src | code |
"""


def words(text: str) -> str:
    text = LINK.sub(r"\1", text).replace("T00:00:00Z", " ")
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "


def kept(parts: Iterator[Incoming | Skipped] | list[Incoming | Skipped]) -> str:
    """All words of the records that are imported, and of what the dry run says."""
    texts: list[str] = []
    for part in parts:
        if isinstance(part, Skipped):
            texts += [part.text, part.reason]
        else:
            assert isinstance(part.memory, Draft)
            texts += [*passages(part.memory.document), *part.notes]
    return words("\n".join(texts))


FIELD = re.compile(r"\*\*[^*:]+:\*\*|(?:\*\*)?(?:status|date|tags|title)(?:\*\*)?:", re.IGNORECASE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
MARK = re.compile(r"^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\[[ x]\])?")
NAMES = {"status", "date"}


def statements(text: str) -> Iterator[str]:
    """Each sentence, cell and value of a source. Comments, headings and the names of fields are none."""
    text = re.sub(
        r"<!--.*?-->|^[^\n]+\n(?:-{3,}|={3,})\n|^#.*?$", "", text, flags=re.DOTALL | re.MULTILINE
    )
    for line in LINK.sub(r"\1", text).split("\n"):
        cells = line.split("|") if line.lstrip().startswith("|") else [MARK.sub("", line)]
        for cell in cells:
            for sentence in re.split(r"(?<=[.!?])\s+", FIELD.sub("", cell)):
                if words(sentence).strip() and words(sentence).strip() not in NAMES:
                    yield sentence


@requirement("importing:sentences:kept")
@pytest.mark.parametrize("name", [*NYGARD, *MADR, *LOOSE, "unusual.md"], ids=str)
def test_every_sentence_of_a_decision_record_is_in_the_memory_or_named(name: str) -> None:
    text = {**NYGARD, **MADR, **LOOSE, "unusual.md": UNUSUAL}[name]
    parts = list(adr.read_all([(name, text)]))
    if any(isinstance(part, Skipped) for part in parts):
        return  # the whole file is named with the reason

    everything = kept(parts)

    assert [said for said in statements(text) if words(said) not in everything] == []


@requirement("importing:sentences:kept")
@pytest.mark.parametrize("text", [RULES, TEAM_RULES], ids=["sample", "team"])
def test_every_sentence_of_a_rules_file_is_in_a_memory_or_named(text: str) -> None:
    everything = kept(rules.read(text, "CLAUDE.md"))

    assert [said for said in statements(text) if words(said) not in everything] == []


def content(text: str) -> dict[str, Any]:
    [part] = adr.read_all([("0007-networking.md", text)])
    assert isinstance(part, Incoming)
    assert isinstance(part.memory, Draft)
    return dict(part.memory.document["content"])  # type: ignore[arg-type]


@requirement("importing:sentences:kept")
def test_what_fits_no_field_is_kept_under_its_heading_and_named_in_a_note() -> None:
    [part] = adr.read_all([("0007-networking.md", UNUSUAL)])
    assert isinstance(part, Incoming)

    sections = {row["heading"]: row["text"] for row in content(UNUSUAL)["other_sections"]}

    assert sections["Definitions"] == "A *segment* is a network of its own. It has one owner."
    assert "Good, because partners trust them" in sections["Private links"]
    assert "link: private" in content(UNUSUAL)["decision"]
    assert sections["Metadata"] == "deciders: Ada, Grace"
    assert any("Definitions" in note and "Rollout" in note for note in part.notes)


@requirement("importing:sentences:kept")
def test_no_reason_is_made_of_a_sentence_that_introduces_a_list() -> None:
    text = (
        "# 8. Errors\n\n## Context\n\nErrors are text.\n\n## Decision\n\nUse codes.\n\n"
        "Some examples of things to avoid, since they hide errors:\n\n1. Silence\n2. Retries\n"
    )

    assert content(text)["rationale"] == ["Use codes."]


@requirement("importing:sentences:kept")
def test_a_title_is_the_rule_without_its_lead_in_and_a_lead_in_is_no_rule() -> None:
    parts = list(rules.read(TEAM_RULES, "CLAUDE.md"))
    titles = [
        str(part.memory.document["title"])
        for part in parts
        if isinstance(part, Incoming) and isinstance(part.memory, Draft)
    ]

    assert "Run just fmt after each change" in titles
    assert not [title for title in titles if title.startswith(("In the codex-rs", "Typical"))]
