"""The warm path: the hook asks the running server over a socket."""

import json
import os
import socket
import stat
import time
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.server.running import (
    NEW,
    WAIT,
    RawClient,
    ask_socket,
    raw_client,
    socket_of,
    until,
)

from recollect.hook import warm_client as hook
from recollect.server import hook_socket

QUESTION = b'{"v": 1, "text": "why do we sign a JWT at login?", "files": []}\n'


def save(client: RawClient, title: str) -> None:
    content = {"topic": "x", "value": f"{title}.", "reason": "So it is.", "strength": "soft"}
    given = {"category": "preference", "title": title, "tags": ["x"], "content": content}
    result = client.result("tools/call", {"name": "memory_save", "arguments": given})
    assert not result.get("isError"), result


@requirement("server:warm:answers")
def test_a_question_is_answered_as_a_prompt_would_be(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW):
        until(path := socket_of(shop))
        known = json.loads(ask_socket(path, QUESTION))
        unknown = json.loads(ask_socket(path, b'{"v": 1, "text": "paint the shed green on Sunday"}\n'))

    [hit] = known["hits"]
    assert {name: hit[name] for name in ("id", "title", "category", "path", "tags")} == {
        "id": "sign-a-jwt-at-login",
        "title": "Sign a JWT at login",
        "category": "decision",
        "path": ".claude/memory/decisions/sign-a-jwt-at-login.json",
        "tags": ["auth"],
    }
    assert known["v"] == 1
    assert known["probability"] >= known["threshold"]
    assert unknown["hits"] == []
    assert unknown["probability"] < unknown["threshold"]


@requirement("server:warm:answers")
def test_the_hooks_own_client_is_understood(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW):
        until(path := socket_of(shop))
        answers = [hook.ask(str(path.parent), "why do we sign a JWT at login?", []) for _ in range(20)]

    told = next(answer for answer in answers if answer is not None)
    assert [id.removeprefix("mem:") for id in told.ids] == ["sign-a-jwt-at-login"]


def test_the_next_question_knows_what_was_saved_or_removed(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW) as client:
        client.begin()
        until(path := socket_of(shop))
        ask_socket(path, QUESTION)
        save(client, "Paint the shed green on Sunday")
        saved = json.loads(ask_socket(path, b'{"v": 1, "text": "paint the shed green on Sunday"}\n'))
        (shop / ".claude/memory/decisions/sign-a-jwt-at-login.json").unlink()
        removed = json.loads(ask_socket(path, QUESTION))

    assert [hit["id"] for hit in saved["hits"]] == ["paint-the-shed-green-on-sunday"]
    assert removed["hits"] == []


@requirement("server:warm:owner-only")
def test_only_the_owner_can_open_the_socket_and_it_is_removed_with_the_server(
    shop: Path, env: dict[str, str]
) -> None:
    before = os.umask(0)
    try:
        with raw_client(shop, env, NEW):
            until(path := socket_of(shop))
            mode = path.lstat().st_mode
            beside = sorted(entry.name for entry in path.parent.iterdir() if entry.name.startswith("h"))
    finally:
        os.umask(before)

    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600
    assert beside == ["hook.sock"]
    assert not path.exists()


def test_a_stale_socket_is_replaced(shop: Path, env: dict[str, str]) -> None:
    path = socket_of(shop)
    path.parent.mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    old = path.lstat().st_ino
    with raw_client(shop, env, NEW) as client:
        client.begin()
        while True:
            client.result("tools/list")
            if path.lstat().st_ino != old:
                break
        answer = json.loads(ask_socket(path, QUESTION))

    assert answer["hits"]


def test_the_socket_of_a_newer_server_is_left_alone(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW) as older:
        until(path := socket_of(shop))
        first = path.lstat().st_ino
        with raw_client(shop, env, NEW) as newer:
            newer.begin()
            while path.lstat().st_ino == first:
                newer.result("tools/list")
            assert older.process.stdin is not None
            older.process.stdin.close()
            older.process.wait(WAIT)
            answer = json.loads(ask_socket(path, QUESTION))

    assert answer["hits"]
    assert not path.exists()


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (b"nonsense\n", "the request is not valid JSON"),
        (b"[" * 60_000 + b"\n", "the request is not valid JSON"),
        (b'{"v": 2, "text": "x"}\n', "a request is"),
        (b'{"v": 1, "text": 5}\n', "a request is"),
        (b'{"v": 1, "text": "x", "files": "y"}\n', "a request is"),
        (b"\xff\n", "the request is not valid JSON"),
    ],
)
def test_an_invalid_request_is_refused_with_the_reason(request_: bytes, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        hook_socket.parse_request(request_)


def test_slow_and_silent_clients_block_no_other(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW) as client:
        client.begin()
        until(path := socket_of(shop))
        silent = [socket.socket(socket.AF_UNIX) for _ in range(hook_socket.MAX_CLIENTS - 1)]
        for line in silent:
            line.connect(str(path))
            line.sendall(b'{"v": 1, "text": ')
        answer = json.loads(ask_socket(path, QUESTION))
        tools = client.result("tools/list")["tools"]
        for line in silent:
            line.settimeout(WAIT)
            assert line.recv(1) == b""  # the server has hung up on them
            line.close()

    assert answer["hits"]
    assert tools


def test_the_server_hangs_up_on_an_endless_request(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW):
        until(path := socket_of(shop))
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(WAIT)
            line.connect(str(path))
            with pytest.raises(OSError, match=r"Broken pipe|reset"):
                line.sendall(b"x" * hook_socket.MAX_BYTES * 100)


def test_a_client_that_leaves_before_its_answer_does_no_harm(shop: Path, env: dict[str, str]) -> None:
    with raw_client(shop, env, NEW):
        until(path := socket_of(shop))
        for _ in range(hook_socket.MAX_CLIENTS * 2):
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(path))
                line.sendall(QUESTION)
        answer, until_then = b"", time.monotonic() + WAIT
        while b'"hits"' not in answer and time.monotonic() < until_then:
            answer = ask_socket(path, QUESTION)  # nothing, or busy, while they are dealt with

    assert json.loads(answer)["hits"]


@pytest.fixture
def deep(shop: Path) -> Path:
    """The project, where its path alone is longer than a socket's may be."""
    folder = shop / ("d" * 200)
    folder.mkdir()
    (shop / ".claude").rename(folder / ".claude")
    return folder


def short_ways(folder: Path) -> list[Path]:
    return [link for link in Path("/tmp").glob("r*/s") if link.resolve() == folder]


def test_the_hook_is_answered_where_the_path_is_too_long_for_a_socket(
    deep: Path, env: dict[str, str]
) -> None:
    here = Path.cwd()
    with raw_client(deep, env, NEW):
        until(path := socket_of(deep))
        mode = path.lstat().st_mode
        answers = [hook.ask(str(path.parent), "why do we sign a JWT at login?", []) for _ in range(20)]

    told = next(answer for answer in answers if answer is not None)
    assert [id.removeprefix("mem:") for id in told.ids] == ["sign-a-jwt-at-login"]
    assert (stat.S_ISSOCK(mode), stat.S_IMODE(mode)) == (True, 0o600)
    assert Path.cwd() == here
    assert short_ways(path.parent) == []
    assert not path.exists()


def test_the_server_runs_without_a_socket_where_none_can_be_created(
    shop: Path, env: dict[str, str]
) -> None:
    path = socket_of(shop)
    path.mkdir(parents=True)  # a file is not put in a folder's place
    with raw_client(shop, env, NEW) as client:
        client.begin()
        result = client.result("tools/call", {"name": "memory_search", "arguments": {"query": "x"}})

    assert not result.get("isError")
    assert path.is_dir()
