"""A running server with a reranker: prompts and searches get the order that it prefers, in time."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.server.running import NEW, WAIT, RawClient, ask_socket, raw_client, socket_of, until
from tests.storage.models.shared import reranker_model

from recollect.app.models import open_models
from recollect.app.opening import open_project
from recollect.records.categories import Category
from recollect.retrieval.request import Request

PROMPT = "should we keep the ledger in one shard"
KEEP, SHARD = "Keep the ledger in one shard", "One shard has to keep the ledger"


@pytest.fixture
def shop(folder: Path, env: dict[str, str], keep: Callable[..., str], tmp_path: Path) -> Path:
    """A project with two memories about one question; the reranker knows `should`, which search ignores."""
    for title, value in ((KEEP, "Joins."), (SHARD, "It should, it should.")):
        content = {
            "topic": title,
            "value": value,
            "reason": "Joins cross no network.",
            "strength": "soft",
        }
        keep(title, Category.PREFERENCE, content=content, tags=["store"])
    source = reranker_model(tmp_path / "pairs", ["should"])
    open_models(env).install(role="reranker", folder=source)
    return folder


def until_reranked(ask: Callable[[], list[str]]) -> list[str]:
    """The titles of an answer, once the reranker is loaded, which no request waits for."""
    turn = threading.Event()
    for _ in range(int(WAIT / 0.1)):
        if (titles := ask())[:1] == [SHARD]:
            return titles
        turn.wait(0.1)
    raise AssertionError("the server does not use its reranker")


def tool(client: RawClient, name: str, **arguments: str) -> dict[str, object]:
    result = client.result("tools/call", {"name": name, "arguments": arguments})
    return dict(result["structuredContent"])


@requirement("retrieval:rerank:server")
def test_prompts_and_searches_of_a_server_are_reranked_and_its_health_says_how_it_does(
    shop: Path, env: dict[str, str]
) -> None:
    plain = open_project(shop, env=env).find(Request(PROMPT, mode="auto")).answer
    line = json.dumps({"v": 1, "text": PROMPT, "files": []}).encode() + b"\n"

    def prompted() -> list[str]:
        return [hit["title"] for hit in json.loads(ask_socket(socket_of(shop), line)).get("hits", [])]

    with raw_client(shop, env, NEW) as client:
        client.begin()
        until(socket_of(shop))

        def searched() -> list[str]:
            hits = tool(client, "memory_search", query=PROMPT)["hits"]
            assert isinstance(hits, list)
            return [hit["title"] for hit in hits]

        in_prompt, in_search = until_reranked(prompted), until_reranked(searched)
        health = tool(client, "memory_health")

    assert [hit.document.title for hit in plain.hits] == [KEEP, SHARD]
    assert in_prompt == in_search == [SHARD, KEEP]
    assert str(health["reranker"]).startswith("pairs, in time for ")
