"""ADRs in Markdown, read as text."""

from typing import Any

import pytest
from tests.importing.texts import LOOSE, MADR, MINIMAL, NYGARD
from tests.requirements import requirement
from tests.samples import NOW

from recollect.importing.adr import Adr, parse, read_all
from recollect.importing.incoming import Incoming, Skipped
from recollect.records.body import OTHER_SECTIONS
from recollect.records.draft import Draft

OFFERING = MINIMAL.format(title="X").replace("Accepted", "Proposed | Accepted | Rejected")


def _document(text: str, origin: str = "docs/adr/0007-x.md") -> dict[str, Any]:
    found = parse(text, origin)
    assert isinstance(found, Adr), found
    return found.document


def _content(text: str, origin: str = "docs/adr/0007-x.md") -> dict[str, Any]:
    content = _document(text, origin)["content"]
    assert isinstance(content, dict)
    return content


@requirement("importing:adr:templates")
def test_a_madr_file_becomes_a_decision_with_all_its_parts() -> None:
    document = _document(MADR["0005-queue.md"], "docs/adr/0005-queue.md")

    assert document["title"] == "Use RabbitMQ as the message queue"
    assert document["created_at"] == document["valid_from"] == "2022-01-10T00:00:00Z"
    assert document["tags"][:3] == ["adr", "messaging", "back end"]
    assert document["related_files"] == ["docs/adr/0005-queue.md"]
    assert _fields(document) == {
        "status": "superseded",
        "context": "How do the services tell each other what happened?",
        "decision": 'Chosen option: "RabbitMQ", '
        "because it is the only one that the team has run before.",
        "rationale": [
            "it is the only one that the team has run before.",
            "Messages must survive a restart",
            "The team knows AMQP",
        ],
        "alternatives": [
            {"option": "Kafka", "rejected_reason": "it needs its own team; it is large"},
            {
                "option": "PostgreSQL's LISTEN and NOTIFY",
                "rejected_reason": "a message is lost when nobody listens",
            },
        ],
        "consequences": [
            "Good, because work starts at once",
            "Bad, because a cluster is hard to upgrade",
        ],
    }


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    """The content in the category's own fields."""
    return {name: value for name, value in document["content"].items() if name != OTHER_SECTIONS}


@requirement("importing:adr:templates")
def test_a_nygard_file_becomes_a_decision_with_all_its_parts() -> None:
    document = _document(NYGARD["0002-store-sessions-in-redis.md"])

    assert document["title"] == "Store sessions in Redis"
    assert document["valid_from"] == "2020-05-01T00:00:00Z"
    assert _fields(document) == {
        "status": "superseded",
        "context": "Two application servers must share their sessions.",
        "decision": "We will keep sessions in Redis because it expires keys by itself.",
        "rationale": ["We will keep sessions in Redis because it expires keys by itself."],
        "consequences": ["One more service to run", "Logins survive a restart"],
    }


@requirement("importing:adr:templates")
def test_a_looser_file_with_other_headings_becomes_a_decision() -> None:
    document = _document(LOOSE["adr-7-layout.md"], "docs/adr/adr-7-layout.md")

    assert document["title"] == "Layout of the repository"
    assert document["created_at"] == "2022-05-03T00:00:00Z"
    content = document["content"]
    assert content["status"] == "accepted"
    assert content["context"].startswith("Every service had its own repository")
    assert "# Decision: this is a comment in a script" in content["context"]
    assert content["decision"].startswith("All services move into one repository")
    assert content["alternatives"] == [
        {"option": "Git submodules", "rejected_reason": "nobody could explain them"},
        {"option": "Status quo", "rejected_reason": "four pull requests stay four"},
    ]
    assert content["consequences"] == ["Positive: one build", "Negative: a large checkout"]


def test_labels_in_bold_and_a_table_do_for_headings_and_fields() -> None:
    found = parse(LOOSE["Dates.md"], "Dates.md")

    assert isinstance(found, Adr)
    assert found.document["title"] == "Dates are UTC everywhere"
    assert found.number == 12
    content = found.document["content"]
    assert isinstance(content, dict)
    assert content["status"] == "proposed"
    assert content["context"] == "Reports of one day held sales of two."
    assert content["decision"] == "Store UTC, show local time."
    assert "created_at" not in found.document
    assert "unknown date '2022-13-45'" in found.notes


def test_a_paragraph_that_decides_is_enough() -> None:
    content = _content(LOOSE["retry.md"], "retry.md")

    assert content["decision"].startswith("We decided to retry")
    assert content["context"] == "Not stated in the ADR."
    assert content["rationale"] == [content["decision"]]


def test_a_decision_without_a_reason_or_context_says_so() -> None:
    found = parse("# Use X\n\n## Decision\n\nUse X here. Then Y.\n", "a.md")

    assert isinstance(found, Adr)
    content = found.document["content"]
    assert isinstance(content, dict)
    assert content["rationale"] == ["Use X here."]
    assert content["context"] == "Not stated in the ADR."
    assert content["status"] == "accepted"
    assert len(found.notes) == 3


@pytest.mark.parametrize("name", [*NYGARD, "0005-queue.md", "0011-log.md", *LOOSE])
def test_every_sample_gives_a_valid_memory_or_a_reason(name: str) -> None:
    text = {**NYGARD, **MADR, **LOOSE}[name]
    found = parse(text, f"docs/adr/{name}")

    if isinstance(found, Adr):
        draft = Draft(found.document)
        assert draft.as_memory(draft.proposed_id(), NOW).title
    else:
        assert name in ("notes.md", "empty.md")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("7. Use X", "Use X"),
        ("0007 - Use X", "Use X"),
        ("0007 Use X", "Use X"),
        ("ADR-7: Use X", "Use X"),
        ("ADR 0007 \u2013 Use X", "Use X"),
        ("[ADR-0007] Use X", "Use X"),
        ("ADR #7: Use X", "Use X"),
        ("ADR007: Use X", "Use X"),
        ("ADR-0007", "X"),
        ("Adrenaline is a load tester", "Adrenaline is a load tester"),
        ("Architecture Decision Record: Use X", "Use X"),
        ("2 phase commit", "2 phase commit"),
        ("Use **strong** _words_ and `snake_case_name`", "Use strong words and snake_case_name"),
        ("Use [the `core`](core.md) library", "Use the core library"),
        ("Использовать PostgreSQL", "Использовать PostgreSQL"),
        ("数据库的选择", "数据库的选择"),
        ("Background jobs run in Celery", "Background jobs run in Celery"),
    ],
)
def test_a_title_loses_its_number_and_its_markup(title: str, expected: str) -> None:
    assert _document(MINIMAL.format(title=title))["title"] == expected


@pytest.mark.parametrize(
    "head",
    [
        "---\nid: 7\ntitle: 'ADR007: Use a log'\n---\n\n",
        "# Architecture Decision Record (ADR)\n\n## Title\n\nUse a log\n\n",
    ],
)
def test_a_title_may_stand_elsewhere(head: str) -> None:
    text = f"{head}## Context\n\nA.\n\n## Decision\n\nB.\n\n## Rollout\n\nC.\n"

    assert _document(text)["title"] == "Use a log"


def test_a_history_of_statuses_is_no_template() -> None:
    history = "Proposed 2020-01-01, accepted 2020-02-01, deprecated 2021-01-01"

    assert (
        _content(OFFERING.replace("Proposed | Accepted | Rejected", history))["status"] == "deprecated"
    )


def test_a_long_title_is_cut_at_a_word() -> None:
    title = _document(MINIMAL.format(title="word " * 60))["title"]

    assert len(title) <= 120
    assert title.endswith("word…")


def test_a_file_without_a_title_is_named_by_its_file() -> None:
    text = "## Context\n\nA.\n\n## Decision\n\nB.\n"

    assert _document(text, "docs/adr/0003-use-the_log.md")["title"] == "Use the log"


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(newline: str) -> None:
    text = MADR["0005-queue.md"]

    assert _content("\ufeff" + text.replace("\n", newline)) == _content(text)


def test_a_comment_and_a_heading_in_code_are_no_parts() -> None:
    text = MINIMAL.format(title="Use X") + (
        "\n```md\n## Consequences\n\n* none\n```\n\n<!--\n## Consequences\n\n* hidden\n-->\n"
        "\nWrite `<!--` to comment.\n"
    )
    content = _content(text)

    assert "consequences" not in content
    assert "hidden" not in content["decision"]
    assert "Write `<!--` to comment." in content["decision"]


def test_an_option_is_not_taken_for_a_section() -> None:
    text = (
        "# T\n\n## Options\n\n### Event-driven approach\n\nPros:\n\n- fast\n\nCons:\n\n- hard\n\n"
        "### Context switching\n\nToo slow.\n\n## Decision\n\nUse the event-driven approach.\n"
    )

    assert _content(text)["alternatives"] == [
        {"option": "Context switching", "rejected_reason": "Too slow."}
    ]


def test_reasons_may_be_listed_below_because() -> None:
    text = (
        "# T\n\n## Considered Options\n\n* A\n* B\n\n## Decision Outcome\n\n"
        "Chosen option: **A**, because:\n\n* it is quick\n* it is cheap\n"
    )
    content = _content(text)

    assert content["rationale"] == ["it is quick", "it is cheap"]
    assert content["alternatives"] == [{"option": "B", "rejected_reason": ""}]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("0000-template.md", MADR["0000-template.md"], "template"),
        ("0001-x.md", MADR["0000-template.md"], "template"),
        (
            "a.md",
            MINIMAL.format(title="X").replace("Accepted", "Proposed | Accepted | Rejected"),
            "template",
        ),
        ("README.md", "# Decisions\n", "index"),
        ("empty.md", LOOSE["empty.md"], "empty"),
        ("notes.md", LOOSE["notes.md"], "no decision"),
    ],
)
def test_what_is_no_decision_is_skipped_with_the_reason(name: str, text: str, reason: str) -> None:
    found = parse(text, f"docs/adr/{name}")

    assert isinstance(found, Skipped)
    assert reason in found.reason


def test_a_file_may_hold_several_adrs() -> None:
    one = (
        "## ADR-{n}: {title}\n\n**Status**: accepted\n\n### Decision\n\n"
        "**Summary**: {title}.\n\n---\n\n"
    )
    text = (
        "# Architecture Decision Records\n\nAll of them.\n\n"
        + one.format(n="001", title="Use a log")
        + one.format(n="002", title="Use a queue").replace("accepted", "accepted, supersedes ADR-001")
        + "## Appendix\n\nNothing.\n"
    )
    found = list(read_all([("docs/0009-all.md", text)]))

    assert [thing.origin for thing in found] == ["docs/0009-all.md#adr-001", "docs/0009-all.md#adr-002"]
    first, second = found
    assert isinstance(first, Incoming)
    assert isinstance(second, Incoming)
    assert isinstance(first.memory, Draft)
    assert first.memory.document["title"] == "Use a log"
    assert first.memory.document["related_files"] == ["docs/0009-all.md"]
    assert [edge.older for edge in second.successions] == ["docs/0009-all.md#adr-001"]


def test_a_label_inside_a_decision_stays_in_it() -> None:
    text = "# T\n\n## Decision\n\n**Summary**: Use X.\n\n**Why**: It is fast.\n"
    content = _content(text)

    assert content["decision"] == "**Summary:** Use X."
    assert content["rationale"] == ["It is fast."]


def test_options_may_stand_in_a_table() -> None:
    text = (
        "# T\n\n## Alternatives\n\n| Option | Pros | Cons |\n|---|---|---|\n"
        "| **X (chosen)** | fast | new |\n| Y | old | slow |\n\n## Decision\n\nUse X.\n"
    )

    assert _content(text)["alternatives"] == [{"option": "Y", "rejected_reason": "slow"}]
