"""`search`, as a person and as a machine see it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.cli.shop import JWT, QUEUE, UPLOAD, content, ids
from tests.requirements import requirement
from tests.storage.models.shared import installed_models

from recollect.records.categories import Category
from recollect.views.memories import SearchOutput


def test_search_prints_the_documented_shape(shop: Cli) -> None:
    for options in ((), ("--explain",), ("--mode", "auto"), ("--offset", "1")):
        told = shop.ok("search", "dead letter queue", *options, "--json").json()
        assert mismatches(told, SearchOutput) == []
    told = shop.ok("search", "dead letters", "--json").json()
    assert (told["query"], told["count"], told["total"]) == ("dead letters", 1, 1)
    (hit,) = told["hits"]
    assert (hit["id"], hit["category"], hit["status"]) == (QUEUE, "runbook", "active")
    assert hit["path"] == f".claude/memory/runbooks/{QUEUE}.json"
    assert hit["tags"] == ["queue", "worker"]
    assert "dead letters" in hit["snippet"]
    assert 0 < hit["score"] <= 1
    assert "explanation" not in hit


def test_a_person_sees_category_title_tags_path_and_snippet(shop: Cli) -> None:
    shown = shop.ok("search", "dead letters").out

    assert "1. RUNBOOK Drain the dead letter queue" in shown
    assert "#queue #worker" in shown
    assert f".claude/memory/runbooks/{QUEUE}.json" in shown
    assert "Replay the dead letters" in shown
    assert "No memory matches 'zebra'" in shop.ok("search", "zebra").out


def test_matches_are_highlighted_on_a_terminal(shop: Cli) -> None:
    del shop.env["NO_COLOR"]
    shop.env |= {"FORCE_COLOR": "1", "TERM": "xterm-256color"}

    shown = shop.ok("search", "dead letters").out

    assert "\x1b[1;32mdead\x1b[0m" in shown
    assert "\x1b[1;32mRestart" not in shown


def test_what_a_memory_says_cannot_reach_the_terminal(cli: Cli) -> None:
    cli.put(id="evil", title="queue [red]x[/] \x1b[31m", tags=["q"])

    shown = cli.ok("search", "queue").out

    assert "\x1b" not in shown
    assert "[red]x[/]" in shown


@requirement("retrieval:cli:explain")
def test_explain_shows_how_a_score_came_about(shop: Cli) -> None:
    hit = shop.ok("search", "fix src/worker.py queue", "--explain", "--json").json()["hits"][0]

    told = hit["explanation"]
    assert {part["channel"] for part in told["channels"]} == {"lexical", "files"}
    total = sum(part["scaled"] * part["weight"] for part in told["channels"])
    score = total * (1 + told["convergence"]) / told["scale"] * (1 - told["faded"])
    assert hit["score"] == pytest.approx(score * (1 + told["boost"]["total"]), abs=1e-6)
    shown = shop.ok("search", "fix src/worker.py queue", "--explain").out
    assert "lexical" in shown
    assert f"= {told['score']:.4g}" in shown


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("-c", "runbook"), [QUEUE]),
        (("-c", "runbook", "-c", "constraint"), [QUEUE, UPLOAD]),
        (("--tag", "upload"), [UPLOAD]),
        (("--file", "src/worker.py"), [QUEUE]),
        (("--file", "./src/worker.py"), [QUEUE]),
        (("--file", "worker.py"), [QUEUE]),
        (("--file", "other.py"), []),
        (("--since", "2001-01-01"), [JWT, QUEUE, UPLOAD]),
        (("--until", "2001-01-01"), []),
        (("--status", "retired"), []),
        (("--limit", "1"), 1),
        (("--limit", "1", "--offset", "3"), 0),
    ],
)
def test_filters(shop: Cli, options: tuple[str, ...], found: list[str] | int) -> None:
    shown = ids(shop, "login queue uploads", *options)

    assert len(shown) == found if isinstance(found, int) else sorted(shown) == sorted(found)


def test_a_retired_memory_is_found_only_when_asked_for(shop: Cli) -> None:
    shop.ok("retire", QUEUE, "-r", "gone")

    assert ids(shop, "dead letters") == []
    assert ids(shop, "dead letters", "--status", "retired") == [QUEUE]
    assert ids(shop, "dead letters", "--status", "all") == [QUEUE]


def test_a_further_page_is_offered(shop: Cli) -> None:
    shown = shop.ok("search", "login queue uploads", "--limit", "2").out

    assert "1 more; --offset 2 shows them." in shown
    assert shop.ok("search", "login queue uploads", "--limit", "2", "--offset", "2").out.startswith(
        "3. "
    )


@requirement("retrieval:filters:as-of")
def test_as_of_a_date_or_a_commit_answers_what_held_then(repository: Cli) -> None:
    repository.put(
        id="cookies", title="Cookies for login", created_at="2026-01-01T00:00:00Z",
        updated_at="2026-03-01T00:00:00Z", valid_to="2026-03-01T00:00:00Z",
    )  # fmt: skip
    then = {"GIT_COMMITTER_DATE": "2026-02-01T00:00:00Z", "GIT_AUTHOR_DATE": "2026-02-01T00:00:00Z"}
    repository.env |= then
    repository.git("commit", "-q", "--allow-empty", "-m", "In February")
    repository.git("tag", "february")
    commit = repository.git("rev-parse", "--short", "HEAD").out.strip()
    repository.put(id="tokens", title="Tokens for login", created_at="2026-03-01T00:00:00Z",
                   updated_at="2026-03-01T00:00:00Z")  # fmt: skip

    assert ids(repository, "login", "--as-of", "2025-12-31") == []
    for moment in ("2026-02-10", "2026-02-10T12:00:00Z", commit, "february", "HEAD"):
        assert ids(repository, "login", "--as-of", moment) == ["cookies"]
    assert ids(repository, "login", "--as-of", "2026-03-01") == ["tokens"]
    assert sorted(ids(repository, "login")) == ["cookies", "tokens"]
    refused = repository("search", "login", "--as-of", "--output=x")
    assert refused.exit_code == 5
    assert "neither a date such as 2026-01-31 nor a commit" in refused.err


@requirement("retrieval:cli:labels")
def test_what_was_superseded_or_has_drifted_is_labelled(shop: Cli) -> None:
    (shop.folder / "a.py").write_text("one\n")
    shop.ok("edit", QUEUE, "--anchor", "a.py")
    shop.save(
        "Opaque sessions", "--supersedes", JWT, content=content(Category.DECISION, decision="Login.")
    )
    (shop.folder / "a.py").write_text("two\n")

    rows = {hit["id"]: hit for hit in shop.ok("search", "login queue", "--json").json()["hits"]}

    assert {id: (row["superseded"], row["drifted"]) for id, row in rows.items()} == {
        JWT: (True, False),
        QUEUE: (False, True),
        "opaque-sessions": (False, False),
    }
    shown = shop.ok("search", "login queue").out
    assert "Sign a JWT at login (superseded by opaque-sessions since " in shown
    assert "Drain the dead letter queue (drifted)" in shown


@requirement("retrieval:cli:labels")
def test_what_ends_or_begins_later_is_labelled_and_not_called_superseded(shop: Cli) -> None:
    shop.put(id="until", title="Cookies for login", valid_to="2999-01-01")
    shop.put(id="from", title="Tokens for login", valid_from="2999-01-01")

    rows = {hit["id"]: hit for hit in shop.ok("search", "login", "--json").json()["hits"]}
    shown = shop.ok("search", "login").out

    assert (rows["until"]["superseded"], rows["from"]["superseded"]) == (False, False)
    assert rows["until"]["validity"] == "valid until 2999-01-01"
    assert "Cookies for login (valid until 2999-01-01)" in shown
    assert "Tokens for login (not valid before 2999-01-01)" in shown
    assert "validity" not in rows[JWT]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("x", "--mode", "other"), 5, "unknown mode 'other'; choose one of search, auto"),
        (("x", "--strategy", "bm26"), 5, "choose one of fts5_bm25, hybrid, title_tags"),
        (("x", "--status", "gone"), 5, "unknown status 'gone'"),
        (("x", "-c", "poem"), 5, "poem"),
        (("x", "--since", "someday"), 5, "neither a date"),
        (("x", "--limit", "0"), 2, "--limit"),
        ((), 2, "Missing argument"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    shop: Cli, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = shop("search", *arguments)

    assert done.exit_code == code
    assert said in done.err


def test_strategies_can_be_chosen_and_configured(shop: Cli) -> None:
    assert shop.ok("search", "queue", "--json").json()["strategy"] == "fts5_bm25"
    assert ids(shop, "replay_letters", "--strategy", "title_tags") == []
    hybrid = shop.ok("search", "queue", "--strategy", "hybrid", "--json").json()
    assert any("recollect model install" in note for note in hybrid["notes"])
    shop.env["RECOLLECT_MATCH_STRATEGY"] = "title_tags"
    assert shop.ok("search", "queue", "--json").json()["strategy"] == "title_tags"


@requirement("retrieval:index:deleted")
def test_deleting_the_index_changes_no_byte_of_the_answer(shop: Cli) -> None:
    arguments = ("search", "login queue uploads", "--explain", "--json")
    shop.ok("edit", JWT, "-t", "Sign the login token")
    shop.save("Login twice", content={"decision": "Ask for a second factor."})
    first = shop.ok(*arguments).out
    shop.ok("retire", "login-twice", "-r", "x")
    shop.ok("restore", "login-twice")
    again = json.loads(shop.ok(*arguments).out)
    state = shop.root / ".recollect"
    before = shop.ok(*arguments).out

    assert before == shop.ok(*arguments).out
    for path in state.glob("index.db*"):
        path.unlink()

    assert shop.ok(*arguments).out == before
    assert [hit["id"] for hit in again["hits"]] == [hit["id"] for hit in json.loads(first)["hits"]]


@requirement("retrieval:index:corrupt")
def test_a_corrupt_index_is_reported_once_and_costs_nothing(shop: Cli) -> None:
    before = shop.ok("search", "queue", "--json").json()["hits"]
    for path in (shop.root / ".recollect").glob("index.db*"):
        path.unlink()
    (shop.root / ".recollect" / "index.db").write_bytes(os.urandom(20_000))

    told = shop.process("search", "queue")

    assert told.exit_code == 0
    assert "the index was corrupt" in told.err
    after = shop.ok("search", "queue", "--json").json()
    assert (after["hits"], after["notes"]) == (before, [])


@pytest.mark.parametrize("query", ['"', "NEAR(a", "\ud800", "--", "x" * 50_000, "🙂"])
def test_any_words_can_be_asked(shop: Cli, query: str) -> None:
    told = shop.ok("search", "--json", "--", query).json()

    assert told["query"] == query


def test_bytes_that_are_no_text_can_be_asked_from_a_shell(shop: Cli) -> None:
    done = subprocess.run(
        [
            sys.executable.encode(),
            b"-m",
            b"recollect",
            b"search",
            b"queue \xff",
            b"--tag",
            b"\xfe",
            b"--file",
            b"\xfd",
            b"--json",
        ],
        cwd=shop.folder,
        env=shop.env,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done
    assert json.loads(done.stdout)["hits"] == []


@requirement("retrieval:hybrid:meaning")
def test_with_the_model_a_memory_is_found_by_what_it_means(
    shop: Cli, request: pytest.FixtureRequest
) -> None:
    cache = Path(shop.env["HOME"]) / ".cache" / "recollect"
    cache.mkdir(parents=True)
    (cache / "models").symlink_to(installed_models(request.config))

    told = shop.ok("search", "maximum attachment size for files", "--json").json()

    assert told["strategy"] == "hybrid"
    assert told["hits"][0]["id"] == UPLOAD
    arguments = ("search", "authentication", "--explain", "--json")
    before = shop.ok(*arguments).out
    for path in (shop.root / ".recollect").glob("[iv][ne]*"):
        path.unlink()
    assert shop.ok(*arguments).out == before
