"""`model list`, `install`, `use` and `remove`."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement
from tests.storage.models.shared import WIDTH, installed_models, reranker_model, tiny_model

from recollect.installation import how_to_add
from recollect.storage.models import installed
from recollect.storage.models.manifest import DEFAULT
from recollect.views.settings import ModelOutput


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    return str(tiny_model(tmp_path / "tiny"))


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    return str(reranker_model(tmp_path / "pairs", ["login"]))


def rows(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    assert mismatches(told, ModelOutput) == []
    return {row["name"]: row for row in told["models"]}


def test_models_are_listed_installed_used_and_removed(cli: Cli, tiny: str) -> None:
    listed = rows(cli.ok("model", "list", "--json").json())
    assert not any(row["installed"] for row in listed.values())
    assert listed["bge-m3"]["dimensions"] == WIDTH

    installed = rows(cli.ok("model", "install", "bge-m3", "--from", tiny, "--json").json())
    assert (installed["bge-m3"]["installed"], installed["bge-m3"]["in_use"]) == (True, False)

    used = rows(cli.ok("model", "use", "bge-m3", "--json").json())
    assert used["bge-m3"]["in_use"]

    removed = rows(cli.ok("model", "remove", "bge-m3", "--json").json())
    assert not removed["bge-m3"]["installed"]


def test_removing_the_model_in_use_says_what_to_do_and_so_does_each_search(cli: Cli, tiny: str) -> None:
    cli.save()
    for name in ("mine", "other"):
        cli.ok("model", "install", name, "--from", tiny)
    cli.ok("model", "use", "mine")

    removed = cli.ok("model", "remove", "mine").out
    told = cli.ok("model", "list", "--json").json()["notes"]
    plain = cli.ok("search", "login", "--json").json()
    hybrid = cli.ok("search", "login", "--strategy", "hybrid", "--json").json()

    expected = (
        "search is configured to use the model 'mine', which is not installed; `recollect model install mine"
        " --from FOLDER` installs it, `recollect model use other` chooses another"
    )
    assert expected in removed
    assert told == plain["notes"] == hybrid["notes"] == [expected]
    assert plain["count"] == hybrid["count"] == 1
    cli.ok("model", "use", "other")
    assert cli.ok("search", "login", "--json").json()["notes"] == []


def test_a_model_that_the_environment_names_and_nobody_installed_is_told_of(cli: Cli) -> None:
    cli.save()
    cli.env["RECOLLECT_MODEL"] = "bge-m3"

    for told in (cli.ok("search", "login"), cli.ok("search", "login", "--strategy", "hybrid")):
        assert "'bge-m3', which is not installed" in told.err
        assert "`recollect model install bge-m3`" in told.err
        assert "or change $RECOLLECT_MODEL" in told.err
    assert "'bge-m3', which is not installed" in cli.ok("model", "list").out


def test_a_model_that_nothing_can_run_is_told_of(
    cli: Cli, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.save()
    cli.ok("model", "install", "mine", "--from", tiny)
    cli.ok("model", "use", "mine")
    monkeypatch.setattr(installed, "find_spec", lambda _: None)  # as without the extra `vectors`

    for strategy in ((), ("--strategy", "hybrid")):
        told = cli.ok("search", "login", *strategy).err
        assert "'mine' is installed, but cannot be run" in told
        assert f"`{how_to_add('vectors')}` adds the packages that run it" in told


def test_who_never_chose_a_model_is_told_once(cli: Cli) -> None:
    cli.save()

    first, second = (cli.ok("search", "login", "--json").json()["notes"] for _ in range(2))

    assert (len(first), second) == (1, [])


@requirement("retrieval:models:wide")
def test_an_installed_model_is_searched_with_and_a_changed_one_embeds_anew(
    cli: Cli, tiny: str, tmp_path: Path
) -> None:
    cli.save()
    cli.save("Opaque sessions", content={"decision": "Keep sessions."})
    cli.ok("model", "install", "mine", "--from", tiny)
    cli.ok("model", "use", "mine")
    one = cli.ok("search", "sessions", "--explain", "--json").json()
    assert one["strategy"] == "hybrid"
    assert {part["channel"] for part in one["hits"][0]["explanation"]["channels"]} >= {"vector"}

    other = str(tiny_model(tmp_path / "other", seed=2, width=64))
    cli.ok("model", "install", "mine", "--from", other)
    two = cli.ok("search", "sessions", "--explain", "--json").json()

    def cosines(told: dict[str, Any]) -> list[float]:
        return [
            part["raw"]
            for hit in told["hits"]
            for part in hit["explanation"]["channels"]
            if part["channel"] == "vector"
        ]

    assert len(cosines(one)) == len(cosines(two)) == 2
    assert cosines(one) != cosines(two)
    cli.ok("model", "install", "mine", "--from", tiny)
    assert cli.ok("search", "sessions", "--explain", "--json").json() == one


def test_a_person_sees_which_model_is_in_use(cli: Cli, tiny: str) -> None:
    assert "`recollect model install` downloads the default" in cli.ok("model", "list").out

    done = cli.ok("model", "install", "mine", "--from", tiny, "--pooling", "mean")
    assert "a model of your own" in done.out
    assert "in use" not in done.out
    cli.ok("model", "use", "mine")
    assert "in use" in cli.ok("model", "list").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("install", "nope"), 3, "unknown model 'nope'"),
        (("install", "granite-embedding-30m"), 5, "--from FOLDER"),
        (("install", "x", "--from", "nowhere"), 3, "has no model.onnx"),
        (("install", "../x", "--from", "TINY"), 5, "cannot name a model"),
        (("install", "x", "--from", "TINY", "--pooling", "max"), 5, "use cls or mean"),
        (("install", ""), 5, "'' cannot name a model"),
        (("use", "bge-m3"), 3, "`recollect model install bge-m3`"),
        (("use", "nosuch"), 3, "`recollect model install nosuch --from FOLDER`"),
        (("use", DEFAULT), 3, f"`recollect model install {DEFAULT}`"),
        (("remove", "bge-m3"), 3, "is not installed"),
        (("install", "x", "--role", "poet", "--from", "TINY"), 5, "use embedder or reranker"),
        (("install", "x", "--role", "reranker", "--from", "TINY"), 5, "without --role reranker"),
        (("install", "x", "--from", "PAIRS"), 5, "with --role reranker"),
        (("install", "none", "--role", "reranker", "--from", "PAIRS"), 5, "use another name"),
    ],
)
def test_what_cannot_be_done_says_why(
    cli: Cli, tiny: str, pairs: str, arguments: tuple[str, ...], code: int, said: str
) -> None:
    folders = {"TINY": tiny, "PAIRS": pairs}
    done = cli("model", *(folders.get(part, part) for part in arguments))

    assert done.exit_code == code
    assert said in done.err


def test_a_spoiled_model_costs_no_plain_answer(cli: Cli, tiny: str) -> None:
    cli.save()
    cli.ok("model", "install", "mine", "--from", tiny)
    cli.ok("model", "use", "mine")
    for path in Path(cli.env["HOME"]).rglob("model.onnx"):
        path.write_bytes(b"spoiled")

    plain = cli.ok("search", "login", "--json").json()
    asked_for = cli("search", "login", "--strategy", "hybrid")

    assert (plain["count"], plain["strategy"]) == (1, "fts5_bm25")
    (note,) = plain["notes"]
    assert asked_for.exit_code == 7
    for told in (note, asked_for.err):
        assert "'mine' cannot be run" in told
        assert "`recollect model install mine --from FOLDER` repairs it" in told
    assert cli.ok("search", "login", "--strategy", "fts5_bm25").err == ""


def test_a_damaged_model_is_listed_and_can_be_removed(cli: Cli, tiny: str) -> None:
    cli.save()
    cli.ok("model", "install", "mine", "--from", tiny)
    cli.ok("model", "use", "mine")
    (card,) = Path(cli.env["HOME"]).rglob("recollect-model.json")
    card.write_text("{")

    listed = cli.ok("model", "list", "--json").json()
    mine = rows(listed)["mine"]
    assert (mine["installed"], mine["damaged"], mine["in_use"]) == (False, True, False)
    (note,) = listed["notes"]
    assert "'mine' is damaged" in note
    assert "`recollect model remove mine`" in note
    assert "damaged" in cli.ok("model", "list").out
    assert cli.ok("search", "login", "--json").json()["notes"] == [note]
    assert "'mine' is damaged" in cli("model", "use", "mine").err

    assert "mine" not in rows(cli.ok("model", "remove", "mine", "--json").json())
    assert not card.parent.exists()


def test_what_can_only_be_installed_from_a_folder_says_so(cli: Cli) -> None:
    listed = rows(cli.ok("model", "list", "--json").json())
    lines = {line.split()[0]: line for line in cli.ok("model", "list").out.splitlines()}

    for name, from_folder in ((DEFAULT, False), ("bge-m3", False), ("granite-embedding-30m", True)):
        assert listed[name]["from_folder"] == ("needs --from" in lines[name]) == from_folder


def test_a_name_is_whole_on_the_narrowest_terminal(cli: Cli) -> None:
    cli.env |= {"COLUMNS": "40", "FORCE_COLOR": "1", "TERM": "xterm"}

    shown = cli.ok("model", "list").out

    assert "…" not in shown
    assert DEFAULT in re.sub(r"\x1b\[[\d;]*m", "", shown)


def test_the_default_model_is_shown_as_in_use(cli: Cli, request: pytest.FixtureRequest) -> None:
    cache = Path(cli.env["HOME"]) / ".cache" / "recollect"
    cache.mkdir(parents=True)
    (cache / "models").symlink_to(installed_models(request.config))

    assert rows(cli.ok("model", "list", "--json").json())[DEFAULT]["in_use"]


@requirement("retrieval:rerank:install")
def test_a_reranker_is_in_use_once_it_is_installed_until_it_is_removed(
    cli: Cli, pairs: str, tmp_path: Path
) -> None:
    other = str(reranker_model(tmp_path / "other", ["token"]))
    before = cli.ok("model", "list", "--json").json()

    first = rows(cli.ok("model", "install", "--role", "reranker", "--from", pairs, "--json").json())
    second = rows(cli.ok("model", "install", "--role", "reranker", "--from", other, "--json").json())
    status = cli.ok("status", "--json").json()
    shown = cli.ok("model", "list").out
    chosen = rows(cli.ok("model", "use", "other", "--json").json())
    removed = cli.ok("model", "remove", "other", "--json").json()
    off = cli.ok("status", "--json").json()

    assert (first["pairs"]["role"], first["pairs"]["in_use"]) == ("reranker", True)
    assert (second["pairs"]["in_use"], second["other"]["in_use"]) == (True, False)
    assert (status["reranker"], status["model"]) == ("pairs", None)
    assert re.search(r"pairs +in use, reranker", shown)
    assert "`recollect model install` downloads the default" in shown, "there is no embedding model"
    assert (chosen["pairs"]["in_use"], chosen["other"]["in_use"]) == (False, True)
    assert not any(row["in_use"] for row in removed["models"])
    assert removed["notes"] == before["notes"] == []
    assert off["reranker"] is None


def test_a_setting_that_names_a_model_of_the_other_role_is_told_of(
    cli: Cli, pairs: str, tiny: str
) -> None:
    cli.save()
    cli.ok("model", "install", "--role", "reranker", "--from", pairs)
    cli.ok("model", "install", "mine", "--from", tiny)
    cli.env |= {"RECOLLECT_MODEL": "pairs", "RECOLLECT_RERANKER": "mine"}

    embedder, reranker = cli.ok("model", "list", "--json").json()["notes"]

    assert "'pairs' is a reranker, not an embedding model" in embedder
    assert "'mine' is an embedding model, not a reranker" in reranker
    assert "$RECOLLECT_RERANKER" in reranker
    assert cli.ok("search", "login", "--json").json()["notes"] == [embedder]
