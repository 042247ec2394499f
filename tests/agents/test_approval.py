"""What is left for a person to do?"""

import json

import pytest

from recollect.agents.harnesses import NAMES, get_harness
from recollect.agents.install import hook_entries

FOLDER = "/home/ana/shop"
PATH = f"{FOLDER}/.codex/hooks.json"
# Of the two hooks below, as Codex 0.166.0 makes them.
TRUSTED = {
    "pre_tool_use": "sha256:ce5bcf98a1551812bd812044250c9c5cff5ba4ce8c9eb42c12d29ca51ff530e8",
    "stop": "sha256:d515ad2fcedce2f2efa3d60cb3ae26f693f4840df0ac48dfb735075bc019cefe",
}
STOP = {"type": "command", "command": "recollect-hook codex Stop || true", "timeout": 10}
PRE = {"type": "command", "command": "recollect-hook codex PreToolUse || true", "timeout": 10}
HOOKS = {"PreToolUse": [{"matcher": "Bash", "hooks": [PRE]}], "Stop": [{"hooks": [STOP]}]}


def config(trusted: dict[str, str] = TRUSTED, more: str = "", level: str = "trusted") -> str:
    lines = [f'[projects."{FOLDER}"]', f'trust_level = "{level}"']
    for event, fingerprint in trusted.items():
        lines += [f'[hooks.state."{PATH}:{event}:0:0"]', f'trusted_hash = "{fingerprint}"', more]
    return "\n".join(lines)


def step(config: str | None, hooks: object = HOOKS) -> str:
    return remaining(config, json.dumps({"hooks": hooks}))


def remaining(config: str | None, hooks: str | None) -> str:
    approval = get_harness("codex").approval
    assert approval.remaining
    return approval.remaining([config, hooks], FOLDER)


def next_step(harness: str) -> str:
    return get_harness(harness).approval.step


@pytest.mark.parametrize("harness", NAMES)
def test_every_harness_has_a_next_step_on_one_line(harness: str) -> None:
    assert next_step(harness)
    assert "\n" not in next_step(harness)


def test_nothing_is_left_to_do_when_codex_trusts_every_hook_as_it_is() -> None:
    assert step(config()) == ""
    assert step(config(), HOOKS | {"Other": [{"hooks": [{"command": "./lint.sh"}]}]}) == ""


def test_hooks_that_changed_since_they_were_trusted_are_to_be_trusted_again() -> None:
    changed = {**HOOKS, "Stop": [{"hooks": [{**STOP, "timeout": 20}]}]}

    assert "again" in step(config(), changed)
    assert "again" in step(config(more="enabled = false"))


@pytest.mark.parametrize(
    "told",
    [
        None,
        "",
        "not toml [",
        "hooks = 1",
        config({}),
        config({"stop": TRUSTED["stop"]}),
        config(level="untrusted"),
    ],
)
def test_hooks_that_were_never_all_trusted_need_the_whole_step(told: str | None) -> None:
    assert step(told) == next_step("codex")


@pytest.mark.parametrize("hooks", [None, "", "[]", '{"hooks": [1]}', '{"hooks": {"Stop": [1]}}'])
def test_a_file_without_hooks_of_ours_is_not_taken_for_trusted(hooks: str | None) -> None:
    assert remaining(config(), hooks) == next_step("codex")


def test_every_hook_that_is_installed_is_looked_at() -> None:
    hooks = hook_entries(get_harness("codex").files, lambda event: ["recollect-hook", "codex", event])

    assert step(config(), hooks) == next_step("codex")
