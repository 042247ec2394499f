"""A prompt gets the same memories whether the project's server answers its hook or the hook answers alone."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from tests.hook.conftest import Harness
from tests.requirements import requirement
from tests.server.running import NEW, WAIT, ask_socket, raw_client, socket_of, structured, until
from tests.storage.models.shared import installed_models

from recollect.records.categories import Category

PROMPT = "when do we expire the token of a login"
TOKEN, PAGE = "Expire the token of a login", "Expire the token of a login page"
EDITED = {"tool_name": "Edit", "tool_response": {"success": True}}
PETS = "Dogs and cats are prohibited in the office"
OTHER_WORDS = "are pets forbidden at the workplace"


@pytest.fixture
def harness(folder: Path, env: dict[str, str], keep: Callable[..., str]) -> Harness:
    """A project with two memories that match a prompt almost equally, each about a file of its own."""
    keep(TOKEN, related_files=["src/token.py"])
    keep(PAGE, related_files=["src/login_page.py"])
    return Harness(folder, env)


def edit(harness: Harness, session: str, file: str) -> None:
    path = str(harness.folder / file)
    done = harness.send("PostToolUse", session, tool_input={"file_path": path}, **EDITED)
    assert done.exit_code == 0


def titles(context: str) -> list[str]:
    """The titles of a block, in its order."""
    lines = [line for line in context.splitlines() if line.startswith("- [")]
    return [line.partition("] ")[2].partition(" -> ")[0] for line in lines]


def asked(harness: Harness, text: str, session: str) -> list[str]:
    """The titles that the running server answers a hook of this session with, once it is not busy."""
    request = {"v": 1, "text": text, "files": [], "session": session}
    line = json.dumps(request).encode() + b"\n"
    answers = (json.loads(ask_socket(socket_of(harness.folder), line)) for _ in range(40))
    return next([hit["title"] for hit in answer["hits"]] for answer in answers if "hits" in answer)


def wait_for_model(harness: Harness) -> None:
    """Ask the server until it has loaded its model, which no request waits for."""
    turn = threading.Event()
    for _ in range(int(WAIT / 0.1)):
        if asked(harness, OTHER_WORDS, ""):
            return
        turn.wait(0.1)
    raise AssertionError("the server does not use its model")


def warm(harness: Harness, text: str, wanted: list[str]) -> list[str]:
    """The titles that a hook is given while the server runs; a busy server is asked again by another."""
    for session in range(40):
        if (given := titles(harness.prompt(text, f"warm-{session}-{text}"))) == wanted:
            break
    return given


@requirement("server:warm:session")
def test_after_an_edit_the_memory_about_that_file_comes_first_warm_and_cold(harness: Harness) -> None:
    for session, file in (("a", "src/token.py"), ("b", "src/login_page.py")):
        edit(harness, f"cold-{session}", file)
        edit(harness, f"warm-{session}", file)
    cold = [titles(harness.prompt(PROMPT, f"cold-{session}")) for session in "ab"]
    with raw_client(harness.folder, harness.env, NEW):
        until(socket_of(harness.folder))
        server = [asked(harness, PROMPT, f"warm-{session}") for session in "ab"]
        hook = [titles(harness.prompt(PROMPT, f"warm-{session}")) for session in "ab"]

    assert cold == [[TOKEN, PAGE], [PAGE, TOKEN]]
    assert server == hook == cold


@requirement("server:warm:session")
def test_after_an_edit_what_is_linked_to_the_memory_about_that_file_comes_first_warm_and_cold(
    harness: Harness, keep: Callable[..., str]
) -> None:
    """The causal boost alone: it is off by default, and the session boost would hide it."""
    page = f"mem:{PAGE.lower().replace(' ', '-')}"
    link = {"type": "derived_from", "target": page}
    keep("Audits are quarterly", related_files=["src/audit.py"], links=[link])
    harness.env.update(RECOLLECT_CAUSAL_BOOST="1", RECOLLECT_SESSION_BOOST="0")
    edit(harness, "cold", "src/audit.py")
    edit(harness, "warm", "src/audit.py")
    cold = titles(harness.prompt(PROMPT, "cold"))
    with raw_client(harness.folder, harness.env, NEW):
        until(socket_of(harness.folder))
        server = asked(harness, PROMPT, "warm")

    assert titles(harness.prompt(PROMPT, "")) == [TOKEN, PAGE]
    assert server == cold == [PAGE, TOKEN]


@requirement("server:warm:session")
def test_a_prompt_of_no_session_is_ranked_by_no_attention(harness: Harness) -> None:
    edit(harness, "other", "src/login_page.py")
    plain = titles(harness.prompt(PROMPT, ""))
    with raw_client(harness.folder, harness.env, NEW):
        until(socket_of(harness.folder))
        server = asked(harness, PROMPT, "")

    assert plain == server == [TOKEN, PAGE]


@requirement("server:tools:session")
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_search", {"query": PROMPT}),
        ("memory_context", {"text": PROMPT}),
        ("memory_context", {"text": PROMPT, "mode": "quick"}),
    ],
)
async def test_a_tool_ranks_by_the_attention_of_the_session_it_is_given(
    tool: str, arguments: dict[str, str], harness: Harness, connect: Callable[..., Client]
) -> None:
    edit(harness, "a", "src/token.py")
    edit(harness, "b", "src/login_page.py")

    async with connect() as client:
        answers = [
            structured(await client.call_tool(tool, arguments | more))
            for more in ({"session": "a"}, {"session": "b"}, {})
        ]

    first = [(answer.get("hits") or answer["memories"])[0]["title"] for answer in answers]
    assert first == [TOKEN, PAGE, PAGE]  # without a session, the last one


@pytest.fixture
def with_model(
    folder: Path, env: dict[str, str], keep: Callable[..., str], request: pytest.FixtureRequest
) -> Callable[[str], Harness]:
    """A harness in a project where a model is installed, with a strategy of the user's."""
    home = folder / "home"
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "models").symlink_to(installed_models(request.config))
    content = {"topic": PETS, "value": f"{PETS}.", "reason": "Allergies.", "strength": "strong"}
    keep(PETS, Category.PREFERENCE, content=content, tags=["rules"])
    rule = {"topic": "Releases", "value": "Tag the branch before the hotfix rollout.", "reason": "x"}
    keep("Releases", Category.PREFERENCE, content=rule | {"strength": "soft"}, tags=["ship"])

    def chosen(strategy: str) -> Harness:
        set_ = {"RECOLLECT_MATCH_STRATEGY": strategy} if strategy else {}
        return Harness(folder, env | set_ | {"RECOLLECT_HOME": str(home)})

    return chosen


IN_BODY = "tag the branch before the hotfix rollout"
SAME_WORDS = "are dogs and cats prohibited in the office"


@requirement("retrieval:strategy:every-door")
@pytest.mark.parametrize(
    ("strategy", "in_other_words", "in_body"),
    [("title_tags", [], []), ("fts5_bm25", [], ["Releases"]), ("hybrid", [PETS], ["Releases"])],
)
def test_a_strategy_that_is_chosen_holds_at_every_door(
    strategy: str,
    in_other_words: list[str],
    in_body: list[str],
    with_model: Callable[[str], Harness],
    folder: Path,
) -> None:
    harness = with_model(strategy)
    prompts = (SAME_WORDS, OTHER_WORDS, IN_BODY)
    cold = [titles(harness.prompt(text, f"cold-{number}")) for number, text in enumerate(prompts)]
    with raw_client(folder, harness.env, NEW) as client:
        client.begin()
        until(socket_of(folder))
        if strategy == "hybrid":
            wait_for_model(harness)
        server = [asked(harness, text, "") for text in prompts]
        hook = [warm(harness, *pair) for pair in zip(prompts, server, strict=True)]
        tools = [
            client.result(
                "tools/call", {"name": "memory_context", "arguments": {"text": text, "mode": "auto"}}
            )["structuredContent"]["memories"]
            for text in prompts
        ]

    assert server == [[PETS], in_other_words, in_body]
    assert [[row["title"] for row in rows] for rows in tools] == server
    assert hook == server
    # Without the server there is no model: hybrid goes by words.
    assert cold == [[PETS], [], in_body]


@requirement("retrieval:strategy:every-door")
def test_without_a_choice_the_server_uses_its_model(with_model: Callable[[str], Harness]) -> None:
    harness = with_model("")
    with raw_client(harness.folder, harness.env, NEW):
        until(socket_of(harness.folder))
        wait_for_model(harness)
        assert asked(harness, OTHER_WORDS, "") == [PETS]
