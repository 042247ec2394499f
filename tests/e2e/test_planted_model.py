"""A cloned repository contains a model that never ends, and names it in its configuration."""

import json
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.requirements import requirement
from tests.server.running import OLD, SERVE, RawClient, started, until
from tests.storage.models.shared import endless_model

from recollect.storage.models.installed import ModelFolder


@pytest.fixture
def planted(cli: Cli) -> Path:
    """The folder of a model in the repository, with the card of an installed one."""
    cli.save()
    folder = endless_model(cli.folder / "model")
    reading = {"pooling": "cls", "query_prefix": "", "passage_prefix": "", "longest": 512}
    digests = {"model.onnx": "0", "tokenizer.json": "0"}
    card = {"name": "planted", "reading": reading, "digests": digests}
    (folder / "recollect-model.json").write_text(json.dumps(card))
    assert ModelFolder(cli.folder).get("model") is not None
    return folder


@requirement("trust:model:installed-only")
@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_project_can_not_choose_a_model_by_its_path(
    cli: Cli, planted: Path, is_absolute: bool
) -> None:
    path = str(planted) if is_absolute else f"../../../../shop/{planted.name}"
    (cli.root / "memory-config.json").write_text(json.dumps({"retrieval": {"model": path}}))

    done = cli.ok("search", "login", "--json")
    found = done.json()
    status = cli.ok("status", "--json").json()

    assert [hit["id"] for hit in found["hits"]] == ["sign-a-jwt-at-login"]
    assert found["strategy"] == "fts5_bm25"
    assert "a project may name only a model that you have installed" in found["notes"][0]
    assert status["model"] is None


@requirement("trust:model:installed-only")
def test_a_user_may_choose_a_model_by_its_path(cli: Cli, planted: Path) -> None:
    cli.env["RECOLLECT_MODEL"] = str(planted)

    assert cli.ok("status", "--json").json()["model"] == "planted"


@requirement("trust:model:server-ends")
@pytest.mark.parametrize("searching", [False, True])
def test_the_server_ends_with_its_input_while_a_model_hangs(
    cli: Cli, planted: Path, searching: bool
) -> None:
    cli.env["RECOLLECT_MODEL"] = str(planted)
    cli.env["RECOLLECT_MATCH_STRATEGY"] = "hybrid"

    with started(SERVE, cli.folder, cli.env) as process:
        client = RawClient(process, OLD)
        client.begin()
        if searching:
            client.ask("tools/call", {"name": "memory_search", "arguments": {"query": "login"}})
        until(Path(cli.env["HOME"], ".cache", "recollect", "vectors"))  # the call is under way
        assert process.stdin is not None
        process.stdin.close()

        assert process.wait(10) == 0
