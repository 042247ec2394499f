"""`search --mode auto`: what a prompt would be given here and now, and why nothing when it is nothing."""

import json
import os
import socket
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shop import QUEUE, ids
from tests.hook.conftest import Harness
from tests.requirements import requirement
from tests.server.running import NEW, raw_client, socket_of, until
from tests.storage.models.shared import installed_models

from recollect.hook import warm_client
from recollect.retrieval.query import skip_reason

QUESTION = "how do I drain the dead letter queue and replay the dead letters?"


@requirement("retrieval:auto:injects")
def test_auto_gives_a_prompt_what_it_is_about(shop: Cli) -> None:
    told = shop.ok("search", QUESTION, "--mode", "auto", "--json").json()

    assert [hit["id"] for hit in told["hits"]] == [QUEUE]
    assert told["gate"]["passed"] is True
    assert told["gate"]["probability"] >= told["gate"]["threshold"]


@pytest.mark.parametrize(
    "prompt",
    ["what is the weather in Lisbon?", "thanks, looks good", "rename this variable please", "🙂"],
)
def test_auto_gives_an_unrelated_prompt_nothing(shop: Cli, prompt: str) -> None:
    told = shop.ok("search", prompt, "--mode", "auto", "--json").json()

    assert (told["count"], told["hits"], told["gate"]["passed"]) == (0, [], False)
    assert "A prompt would get nothing" in shop.ok("search", prompt, "--mode", "auto").out


@requirement("retrieval:auto:never")
@pytest.mark.parametrize("why", ["retired", "archived", "superseded", "drifted", "tool"])
def test_auto_never_gives_what_a_prompt_must_not_rely_on(shop: Cli, why: str) -> None:
    assert ids(shop, QUESTION, "--mode", "auto") == [QUEUE]
    match why:
        case "retired" | "archived":
            shop.ok(why.removesuffix("d"), QUEUE, "-r", "x")
        case "superseded":
            shop.save(
                "Another thing", "--supersedes", QUEUE, content={"decision": "Do something else."}
            )
        case "drifted":
            (shop.folder / "a.py").write_text("one\n")
            shop.ok("edit", QUEUE, "--anchor", "a.py")
            assert ids(shop, QUESTION, "--mode", "auto") == [QUEUE]
            (shop.folder / "a.py").write_text("two\n")
        case "tool":
            path = shop.root / "runbooks" / f"{QUEUE}.json"
            path.write_text(json.dumps(json.loads(path.read_text()) | {"source": {"kind": "tool"}}))

    assert QUEUE not in ids(shop, QUESTION, "--mode", "auto")
    if why in ("superseded", "drifted", "tool"):
        assert QUEUE in ids(shop, QUESTION), "a search still finds it"


def silence(cli: Cli, *arguments: str) -> str:
    """Why a prompt would be given nothing, told to a machine and to a person."""
    told = cli.ok("search", *arguments, "--mode", "auto", "--json").json()
    assert (told["count"], told["hits"], told["gate"]["passed"]) == (0, [], False)
    shown = cli.ok("search", *arguments, "--mode", "auto").out
    assert f"A prompt would get nothing: {told['silence']}." in shown
    return str(told["silence"])


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("queue", "it is shorter than 10 characters"),
        (f"/{QUESTION}", "it begins with a slash"),
        ("zebras, giraffes and elephants", "no memory matches"),
        ("drain the bath before you leave, and water the plants", "best match scored 0."),
    ],
)
def test_a_prompt_that_is_given_nothing_is_told_why(shop: Cli, prompt: str, why: str) -> None:
    assert why in silence(shop, prompt)


def test_where_prompts_are_given_nothing_at_all_the_setting_is_named(shop: Cli) -> None:
    shop.env["RECOLLECT_MAX_INJECT"] = "0"

    assert silence(shop, QUESTION) == "retrieval.max_inject is 0"


def test_hits_whose_code_has_changed_are_told_of_and_not_given(shop: Cli) -> None:
    (shop.folder / "a.py").write_text("one\n")
    shop.ok("edit", QUEUE, "--anchor", "a.py")
    (shop.folder / "a.py").write_text("two\n")

    told = shop.ok("search", QUESTION, "--mode", "auto", "--json").json()
    assert (told["hits"], told["silence"]) == (
        [],
        "the matching memories are about code that has changed since",
    )
    assert told["silence"] in shop.ok("search", QUESTION, "--mode", "auto").out
    shop.save("Replay the dead letters of the dead letter queue",
              content={"decision": "Drain the queue, then replay."})  # fmt: skip
    shown = shop.ok("search", QUESTION, "--mode", "auto").out
    assert "1. DECISION Replay the dead letters" in shown
    assert "1 more hit withheld: the code has changed since." in shown


@pytest.mark.parametrize("option", ["--limit", "--offset"])
def test_what_a_prompt_is_given_has_no_pages(shop: Cli, option: str) -> None:
    refused = shop("search", QUESTION, "--mode", "auto", option, "2")

    assert refused.exit_code == 5
    assert "--limit and --offset cannot be combined with --mode auto" in refused.err


PROMPTS = (
    QUESTION,
    "how large may the files be that customers attach to an order?",
    "drain the bath before you leave, and water the plants",
    "queue",
    "/drain the dead letter queue and replay the dead letters",
)


@pytest.mark.parametrize("strategy", ["fts5_bm25", "hybrid", "title_tags"])
def test_without_a_server_the_answer_is_what_the_hook_gives_by_itself(shop: Cli, strategy: str) -> None:
    shop.env["RECOLLECT_MATCH_STRATEGY"] = strategy
    harness = Harness(shop.folder, {**shop.env, "PATH": os.environ["PATH"]})
    for number, prompt in enumerate(PROMPTS):
        told = shop.ok("search", prompt, "--mode", "auto", "--json").json()
        given = harness.prompt(prompt, session=f"s{number}")

        paths = [line for hit in told["hits"] if (line := hit["path"]) in given]
        assert len(paths) == told["count"] == given.count(".json")
        assert told.get("answered_by") == (None if skip_reason(prompt) else "hook")
        assert told["strategy"] == ("title_tags" if strategy == "title_tags" else "fts5_bm25")


def test_while_a_server_runs_the_answer_is_what_it_tells_the_hook(
    shop: Cli, request: pytest.FixtureRequest
) -> None:
    cache = Path(shop.env["HOME"]) / ".cache" / "recollect"
    cache.mkdir(parents=True)
    (cache / "models").symlink_to(installed_models(request.config))
    with raw_client(shop.folder, shop.env, NEW):
        until(path := socket_of(shop.folder))
        for prompt in PROMPTS[:3]:
            told = shop.ok("search", prompt, "--mode", "auto", "--json").json()
            answers = (warm_client.ask(str(path.parent), prompt, []) for _ in range(50))
            asked = next(answer for answer in answers if answer is not None)

            assert [f"mem:{hit['id']}" for hit in told["hits"]] == list(asked.ids)
            assert told["gate"]["probability"] == pytest.approx(asked.probability, abs=1e-4)
            assert (told["answered_by"], told["strategy"]) == ("server", "hybrid")
        shown = shop.ok("search", QUESTION, "--mode", "auto").out
        short = shop.ok("search", "queue", "--mode", "auto").out
        other = shop.ok("search", QUESTION, "--mode", "auto", "--strategy", "fts5_bm25").out

    assert "Searched" not in short
    assert "Searched with hybrid, as the running server would." in shown
    assert "Searched with fts5_bm25; the running server would search with hybrid." in other
    after = shop.ok("search", QUESTION, "--mode", "auto").out
    assert "Searched with fts5_bm25, as the hook itself would." in after


def test_a_socket_that_nobody_listens_at_is_no_server(
    shop: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = socket_of(shop.folder)
    monkeypatch.chdir(path.parent)  # its whole path may be too long for a socket
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path.name)
    path.chmod(0o600)

    told = shop.ok("search", QUESTION, "--mode", "auto", "--json").json()

    assert told["answered_by"] == "hook"
