"""A hook loads RE2 only where a pattern needs it."""

import json
import subprocess

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import keep
from tests.requirements import requirement

from recollect import Recollect
from recollect.app.opening import hook_command

RULE = {"id": "deploys", "tool_pattern": "Bash", "attention": 0.9, "summarizer": "stdout"}


def loads_re2(harness: Harness) -> bool:
    python, *rest = hook_command("claude-code", "PostToolUse")
    event = {
        "session_id": "s1",
        "cwd": str(harness.folder),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make deploy"},
        "tool_response": "deployed to staging as acme-17",
    }
    done = subprocess.run(
        [python, "-X", "importtime", *rest],
        input=json.dumps(event).encode(),
        capture_output=True,
        env=harness.env,
        cwd=harness.folder,
        timeout=30,
        check=True,
    )
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "recollect.working.rules" in modules
    return "re2" in modules


@requirement("rules:patterns:hook-loads-re2")
@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, False),
        ({"rules": [RULE | {"content_pattern": "deployed|released"}]}, False),
        ({"rules": [RULE | {"content_pattern": "deployed to \\w+"}]}, True),
        (
            {
                "rules": [RULE | {"content_pattern": "deployed"}],
                "redaction": {"patterns": [{"id": "acme", "pattern": "acme-[0-9]+"}]},
            },
            True,
        ),
    ],
)
def test_a_hook_loads_re2_only_for_a_users_pattern(
    project: Recollect, harness: Harness, config: dict[str, object], expected: bool
) -> None:
    keep(project)
    (harness.folder / ".claude/memory/memory-config.json").write_text(json.dumps(config))

    assert loads_re2(harness) is expected
