"""A hook with settings that are not accepted."""

import json
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import LOOP, keep
from tests.requirements import requirement

from recollect.app.project import Recollect
from recollect.paths import hook_log

PROMPT = "the oauth2 login is stuck in a redirect loop"


def spoil(harness: Harness, content: object) -> Path:
    file = harness.folder / ".claude" / "memory" / "memory-config.json"
    file.write_text(json.dumps(content))
    return file


@requirement("hook:settings:one-bad-value")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"retrieval": {"max_inject": 99}},
            "retrieval.max_inject must be a number from 0 to 20, not 99",
        ),
        (
            {"retrieval": {"match_strategy": "fts5"}},
            "retrieval.match_strategy must be one of fts5_bm25, hybrid, title_tags, not 'fts5'",
        ),
        (
            {"working": {"extraction": "maybe"}},
            "working.extraction must be true, false, on, off, yes, no, 1 or 0, not 'maybe'",
        ),
        ({"graph": {"skill_folders": 5}}, "graph.skill_folders must be text, not 5"),
    ],
)
def test_a_bad_value_takes_no_memory_from_a_prompt_and_is_logged_once(
    project: Recollect, harness: Harness, content: object, message: str
) -> None:
    keep(project)
    file = spoil(harness, content)

    first = harness.prompt(PROMPT)
    harness.prompt("and now?", session="s2")

    assert LOOP in first
    lines = Path(hook_log(harness.env)).read_text().splitlines()
    assert len(lines) == 1
    assert lines[0].endswith(f" setting: {message} (from {file}).")


def test_a_flag_in_words_works_in_a_hook(project: Recollect, harness: Harness) -> None:
    keep(project)
    spoil(harness, {"working": {"extraction": "off", "session_boost": False}})

    assert LOOP in harness.prompt(PROMPT)
    assert not Path(hook_log(harness.env)).exists()


def test_a_file_that_cannot_be_read_is_named_in_the_log(project: Recollect, harness: Harness) -> None:
    keep(project)
    file = harness.folder / ".claude" / "memory" / "memory-config.json"
    file.write_text("{nonsense")

    assert harness.prompt(PROMPT) == ""
    [line] = Path(hook_log(harness.env)).read_text().splitlines()
    assert f"'{file}' is not a valid JSON object" in line
