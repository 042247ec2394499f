"""A prompt in other words than the memory's: the running server has the model, and the hook has it asked."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.server.running import NEW, raw_client, socket_of, until
from tests.storage.models.shared import installed_models

from recollect.records.categories import Category

TITLE = "Dogs and cats are prohibited in the office"
PROMPT = "are pets forbidden at the workplace"


@pytest.fixture
def read(
    folder: Path, env: dict[str, str], keep: Callable[..., str], request: pytest.FixtureRequest
) -> Harness:
    """A harness in a project where a model is installed."""
    home = folder / "home"
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "models").symlink_to(installed_models(request.config))
    said = {"topic": TITLE, "value": f"{TITLE}.", "reason": "Allergies.", "strength": "strong"}
    keep(TITLE, Category.PREFERENCE, content=said, tags=["rules"])
    return Harness(folder, env | {"RECOLLECT_HOME": str(home)})


def given(harness: Harness) -> bool:
    """Whether a prompt is given the memory; a server that is busy for one is asked again in another."""
    return any(TITLE in harness.prompt(PROMPT, session=f"s{turn}") for turn in range(40))


def test_a_memory_that_shares_no_word_with_a_prompt_is_injected_only_while_the_server_runs(
    read: Harness,
) -> None:
    alone = read.prompt(PROMPT, session="before")
    with raw_client(read.folder, read.env, NEW):
        until(socket_of(read.folder))
        asked = given(read)
    after = read.prompt(PROMPT, session="after")

    assert asked
    assert TITLE not in alone + after
