"""The reminder on a prompt without a hit."""

from tests.hook.conftest import Harness
from tests.requirements import requirement

from recollect.app.opening import open_project
from recollect.app.project import Recollect


@requirement("agents:skills:reminder")
def test_the_reminder_names_the_skill_where_there_is_one(
    project: Recollect, harness: Harness, env: dict[str, str]
) -> None:
    del project
    prompt = "how do we rotate the signing keys of the billing service?"
    assert "/memory:search" not in harness.prompt(prompt, session="before")

    changes = open_project(harness.folder, env=env).connections.connecting("claude-code")
    open_project(harness.folder, env=env).connections.apply(changes)

    assert "/memory:search TOPIC, the memory_search tool" in harness.prompt(prompt, session="after")


def test_the_reminder_names_the_skill_of_the_plugin(project: Recollect, harness: Harness) -> None:
    del project
    prompt = b'{"session_id": "s", "cwd": ".", "prompt": "how do we rotate the signing keys?"}'

    answer = harness.raw("UserPromptSubmit", prompt, CLAUDE_PLUGIN_ROOT="/plugins/memory")

    assert "/memory:search TOPIC" in answer.context
