"""What a search is asked, as people write it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shop import JWT, QUEUE, UPLOAD, ids

ALL = "login queue uploads"


def test_several_words_are_one_query(shop: Cli) -> None:
    told = shop.ok("search", "dead", "letter", "--limit", "1", "queue", "--json").json()

    assert told["query"] == "dead letter queue"
    assert [hit["id"] for hit in told["hits"]] == [QUEUE]


def test_a_query_is_read_from_standard_input(shop: Cli) -> None:
    log = "warning: the dead letter queue is full\n" + "at frame 12 of nothing\n" * 10_000

    assert [hit["id"] for hit in shop.ok("search", "-", "--json", stdin=log).json()["hits"]] == [QUEUE]
    assert shop.ok("search", "-", stdin=b"queue \xff\n").out.startswith("1. RUNBOOK")
    empty = shop("search", "-", stdin="\n")
    assert (empty.exit_code, "standard input is empty" in empty.err) == (5, True)


def test_a_long_query_that_finds_nothing_is_not_said_again_whole(shop: Cli) -> None:
    shown = shop.ok("search", "zebra" * 20_000).out

    assert shown.startswith("No memory matches 'zebrazebra")
    assert len(shown) < 120


@pytest.mark.parametrize(
    "options",
    [("--tag", "QUEUE"), ("--tag", "#queue"), ("--tag", " Queue "), ("--status", "ALL", "-c", "RUNBOOK"),
     ("--mode", "SEARCH", "--tag", "queue"), ("--strategy", "FTS5_BM25", "-c", "runbook")],
)  # fmt: skip
def test_capitals_and_the_mark_of_a_tag_do_not_matter(shop: Cli, options: tuple[str, ...]) -> None:
    assert ids(shop, ALL, *options) == [QUEUE]


def test_a_tag_is_found_as_it_was_written_or_not(shop: Cli) -> None:
    shop.put(id="kafka", title="Queue with Kafka", tags=["KafkaStreams"])

    for tag in ("KafkaStreams", "kafkastreams", "#KAFKASTREAMS"):
        assert ids(shop, "queue", "--tag", tag) == ["kafka"]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d", "%G-W%V-%u"])
def test_a_day_is_a_whole_day_however_it_is_written(shop: Cli, form: str) -> None:
    today = datetime.now(UTC).strftime(form)

    for option in ("--as-of", "--since", "--until"):
        assert sorted(ids(shop, ALL, option, today)) == [QUEUE, JWT, UPLOAD]


@pytest.mark.parametrize("option", ["--as-of", "--since", "--until"])
@pytest.mark.parametrize(
    ("given", "said"),
    [("", "needs a date such as 2026-01-31 or a commit"), ("yesterday", "neither a date such as")],
)
def test_what_names_no_moment_is_refused(shop: Cli, option: str, given: str, said: str) -> None:
    refused = shop("search", ALL, option, given)

    assert refused.exit_code == 5
    assert said in refused.err


def test_a_commit_names_a_moment_to_every_option(repository: Cli) -> None:
    repository.put(id="cookies", title="Cookies for login", created_at="2026-01-01T00:00:00Z",
                   updated_at="2026-01-01T00:00:00Z")  # fmt: skip
    repository.env |= {"GIT_COMMITTER_DATE": "2026-02-01T00:00:00Z"}
    repository.git("commit", "-q", "--allow-empty", "-m", "In February")

    assert ids(repository, "login", "--until", "HEAD") == ["cookies"]
    assert ids(repository, "login", "--since", "HEAD") == []


@pytest.fixture
def files(shop: Cli) -> Path:
    """A folder of the project with the file that a memory is about, and one below it."""
    folder = shop.folder / "src"
    (folder / "api").mkdir(parents=True)
    (folder / "worker.py").touch()
    (folder / "api" / "routes.py").touch()
    shop.put(id="routes", title="Queue routes", related_files=["src/api/routes.py"])
    return folder


def test_a_file_may_be_named_from_the_root_or_from_the_folder_one_is_in(shop: Cli, files: Path) -> None:
    def found(name: str, cwd: Path = shop.folder) -> list[str]:
        shown = shop.ok("search", ALL, "--file", name, "--json", cwd=cwd).json()
        return [hit["id"] for hit in shown["hits"]]

    assert found(str(files / "worker.py")) == [QUEUE]
    assert found("./worker.py", files) == [QUEUE]
    assert found("worker.py", files) == [QUEUE]
    assert found("../worker.py", files / "api") == [QUEUE]
    assert found("api/routes.py", files) == ["routes"]
    assert found("src/api/routes.py", files) == ["routes"], "as memories name it, from anywhere"
    assert found("/etc/worker.py") == []
    (files / "worker.py").unlink()
    assert found(str(files / "worker.py")) == [QUEUE], "though it is gone"


def test_a_file_is_found_through_a_link_to_the_project(shop: Cli, files: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shop.folder)

    assert ids(shop, ALL, "--file", str(tmp_path / "link" / "src" / "worker.py")) == [QUEUE]
    done = shop.ok("-C", str(files), "search", ALL, "--file", "./worker.py", "--json", cwd=tmp_path)
    assert [hit["id"] for hit in done.json()["hits"]] == [QUEUE]
