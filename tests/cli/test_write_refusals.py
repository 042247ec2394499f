"""`save`: what is not kept, and what is said about it."""

import json

import pytest
from tests.cli.running import Cli
from tests.samples import draft


def test_an_invalid_record_is_refused_with_everything_that_is_wrong(cli: Cli) -> None:
    record = json.dumps({"category": "decision", "title": "x" * 130, "content": {"status": "maybe"}})

    done = cli("save", "--file", "-", "--json", stdin=record)

    assert done.exit_code == 5
    fields = (
        "title",
        "tags",
        "content.status",
        "content.context",
        "content.decision",
        "content.rationale",
    )
    for field in fields:
        assert f"{field}: " in done.json()["error"]
        assert f"\n  - {field}: " in done.err
    assert not (cli.root / "decisions").exists()


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("", "standard input is empty"),
        ("{", "standard input, line 1: not valid JSON"),
        ("[]", "the top level must be an object"),
        ('{"title": 1, "title": 2}', "'title' appears twice"),
        ('{"confidence": NaN}', "NaN is not valid JSON"),
        ('{"category": "decision", "title": "t", "tags": ["a"], "content": [1]}', "content: "),
    ],
)
def test_what_is_no_record_is_refused(cli: Cli, record: str, said: str) -> None:
    done = cli("save", "--file", "-", "--json", stdin=record)

    assert done.exit_code == 5
    assert said in done.json()["error"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-c", "wish"), "unknown category 'wish'; choose one of decision,"),
        (("-t", "x", "-s", "status=open"), "--set needs --category"),
        (("-c", "decision", "-s", "wish=x"), "a decision has no field 'wish'; it has status,"),
        (("-c", "decision", "-s", "status"), "must be written as field=value"),
        (("-c", "constraint", "-s", "active=perhaps"), "must be true or false"),
        (("-c", "decision", "-s", "alternatives=cron"), "must be JSON"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_what_would(
    cli: Cli, options: tuple[str, ...], said: str
) -> None:
    done = cli("save", *options)

    assert done.exit_code == 5
    assert said in done.err


def test_options_cannot_be_added_to_a_content_that_is_no_object(cli: Cli) -> None:
    record = json.dumps({"category": "decision", "title": "t", "tags": ["a"], "content": [1]})

    done = cli("save", "--file", "-", "-s", "status=accepted", stdin=record)

    assert done.exit_code == 5
    assert "content: must be an object" in done.err


@pytest.mark.parametrize("id", ["../x", "../../x", "a/b", ".hidden", "Über", "x" * 81, "/etc/x"])
def test_an_id_that_leads_elsewhere_writes_nothing_anywhere(cli: Cli, id: str) -> None:
    before = sorted(path for path in cli.folder.parent.rglob("*.json"))

    done = cli("save", "--file", "-", "--json", stdin=json.dumps(draft(id=id).document))

    assert done.exit_code == 5
    assert repr(id)[:40] in done.json()["error"]
    assert sorted(path for path in cli.folder.parent.rglob("*.json")) == before


def test_a_file_that_is_not_there_is_named(cli: Cli) -> None:
    done = cli("save", "--file", "nowhere.json")

    assert done.exit_code == 3
    assert "cannot read 'nowhere.json': No such file or directory." in done.err
