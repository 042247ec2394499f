"""`model list`, `install`, `use` and `remove`."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement
from tests.storage.models.shared import WIDTH, installed_models, tiny_model

from recollect.cli import wire
from recollect.storage.models.manifest import DEFAULT


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    return str(tiny_model(tmp_path / "tiny"))


def rows(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    assert mismatches(told, wire.ModelOutput) == []
    return {row["name"]: row for row in told["models"]}


@requirement("retrieval:models:commands")
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


@requirement("retrieval:models:wide")
def test_an_installed_model_is_searched_with_and_a_changed_one_embeds_anew(
    cli: Cli, tiny: str, tmp_path: Path
) -> None:
    cli.save()
    cli.save("Opaque sessions", content={"decision": "Keep sessions."})
    cli.ok("model", "install", "bge-m3", "--from", tiny)
    cli.ok("model", "use", "bge-m3")
    one = cli.ok("search", "sessions", "--explain", "--json").json()
    assert one["strategy"] == "hybrid"
    assert {part["channel"] for part in one["hits"][0]["explanation"]["channels"]} >= {"vector"}

    other = str(tiny_model(tmp_path / "other", seed=2, width=64))
    cli.ok("model", "install", "bge-m3", "--from", other)
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
    cli.ok("model", "install", "bge-m3", "--from", tiny)
    assert cli.ok("search", "sessions", "--explain", "--json").json() == one


def test_a_person_sees_which_model_is_in_use(cli: Cli, tiny: str) -> None:
    assert "`recollect model install` fetches the default" in cli.ok("model", "list").out

    done = cli.ok("model", "install", "mine", "--from", tiny, "--pooling", "mean")
    assert "a model of your own" in done.out
    assert "in use" not in done.out
    cli.ok("model", "use", "mine")
    assert "in use" in cli.ok("model", "list").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("install", "nope"), 3, "there is no model 'nope'"),
        (("install", "bge-m3"), 5, "--from FOLDER"),
        (("install", "x", "--from", "nowhere"), 3, "has no model.onnx"),
        (("install", "../x", "--from", "TINY"), 5, "cannot name a model"),
        (("install", "x", "--from", "TINY", "--pooling", "max"), 5, "there are cls and mean"),
        (("use", "bge-m3"), 3, "is not installed"),
        (("remove", "bge-m3"), 3, "is not installed"),
    ],
)
def test_what_cannot_be_done_says_why(
    cli: Cli, tiny: str, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = cli("model", *(tiny if part == "TINY" else part for part in arguments))

    assert done.exit_code == code
    assert said in done.err


def test_a_spoiled_model_is_an_error_that_says_what_to_do(cli: Cli, tiny: str) -> None:
    cli.save()
    cli.ok("model", "install", "mine", "--from", tiny)
    cli.ok("model", "use", "mine")
    for path in Path(cli.env["HOME"]).rglob("model.onnx"):
        path.write_bytes(b"spoiled")

    done = cli("search", "login")

    assert done.exit_code == 7
    assert "`recollect model remove mine`" in done.err
    assert cli.ok("search", "login", "--strategy", "fts5_bm25").exit_code == 0


@requirement("retrieval:models:installed")
def test_the_default_model_is_shown_as_in_use(cli: Cli, request: pytest.FixtureRequest) -> None:
    cache = Path(cli.env["HOME"]) / ".cache" / "recollect"
    cache.mkdir(parents=True)
    (cache / "models").symlink_to(installed_models(request.config))

    assert rows(cli.ok("model", "list", "--json").json())[DEFAULT]["in_use"]
