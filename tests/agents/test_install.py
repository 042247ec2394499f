"""What connecting a harness changes, and that disconnecting it takes all of that back."""

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.settings_files import VALUES, texts
from tests.requirements import requirement

from recollect import agents
from recollect.agents.harnesses import NAMES, all_harnesses, get_harness
from recollect.agents.install import FileChange, plan, shell_line, unplan
from recollect.agents.launch import Launch
from recollect.errors import RefusedError

PACKAGE = Path(agents.__file__).parent
TEMPLATES = {
    own.template: (PACKAGE / own.template).read_text("utf-8")
    for harness in all_harnesses()
    for own in harness.files.own_files
    if own.template
}
PYTHON = "/home/ana maria/größe/bin/python3"
harnesses = pytest.mark.parametrize("harness", NAMES)
Files = dict[str, str | None]


def hook(harness: str, python: str = PYTHON) -> Any:
    return lambda event: [python, "-I", "-S", "/opt/recollect/hook/main.py", harness, event]


def serve(python: str = PYTHON) -> list[str]:
    return [python, "-m", "recollect", "serve"]


def launch(python: str = PYTHON) -> Launch:
    return Launch(lambda harness, event: hook(harness, python)(event), serve(python))


def planned(harness: str, files: Files, python: str = PYTHON) -> list[FileChange]:
    return plan(get_harness(harness), files, launch(python), TEMPLATES)


def unplanned(harness: str, files: Files) -> list[FileChange]:
    return unplan(get_harness(harness), files)


def files_of(harness: str) -> tuple[str, ...]:
    return get_harness(harness).files.paths


def made(files: Files, changes: list[FileChange]) -> Files:
    return files | {change.path: change.after for change in changes}


def commands(text: str | None) -> dict[str, list[str]]:
    """Each event's commands, wherever they stand in its entries."""
    hooks = json.loads(text or "{}")["hooks"]
    return {
        event: [hook["command"] for entry in entries for hook in entry.get("hooks", [entry])]
        for event, entries in hooks.items()
    }


@harnesses
def test_connecting_to_a_bare_project_makes_the_files_and_disconnecting_deletes_them(
    harness: str,
) -> None:
    changes = planned(harness, {})

    assert {change.path for change in changes} == set(files_of(harness))
    assert all(change.before is None and change.after and not change.advice for change in changes)
    left = unplanned(harness, made({}, changes))
    assert {(change.path, change.after) for change in left} == {
        (path, None) for path in files_of(harness)
    }


@harnesses
@requirement("agents:install:idempotent")
def test_connecting_twice_changes_nothing_the_second_time(harness: str) -> None:
    files = made({}, planned(harness, {}))

    assert planned(harness, files) == []


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(NAMES), st.data())
@requirement("agents:install:byte-for-byte")
def test_disconnecting_restores_every_file_byte_for_byte(harness: str, data: st.DataObject) -> None:
    files: Files = {
        path: data.draw(texts() | st.none()) for path in files_of(harness) if path.endswith(".json")
    }

    changes = planned(harness, files)
    files_after = made(files, changes)

    assert [change for change in planned(harness, files_after) if not change.advice] == []
    back = made(files_after, unplanned(harness, files_after))
    assert {path: back[path] for path in files} == files


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(NAMES), st.data())
@requirement("agents:install:others-kept")
def test_what_was_configured_before_is_still_configured(harness: str, data: st.DataObject) -> None:
    files: Files = {path: data.draw(texts()) for path in files_of(harness) if path.endswith(".json")}

    for change in planned(harness, files):
        if change.before is None or change.after is None:
            continue
        before = json.loads(change.before.removeprefix("\ufeff"))
        after = json.loads(change.after.removeprefix("\ufeff"))
        assert _within(before, after), change.path


def _within(before: Any, after: Any) -> bool:
    """Whether `after` has all that `before` has: more members and more at the end of lists are fine."""
    match before:
        case dict():
            return isinstance(after, dict) and all(
                key in after and _within(value, after[key]) for key, value in before.items()
            )
        case list():
            return isinstance(after, list) and after[: len(before)] == before
        case _:
            return bool(before == after)


@harnesses
def test_an_entry_of_an_earlier_place_is_brought_up_to_date_where_it_stands(harness: str) -> None:
    old = made({}, planned(harness, {}, python="/old/venv/bin/python"))

    changes = planned(harness, old)

    assert made(old, changes) == made({}, planned(harness, {}))
    assert not any("/old/venv" in (change.after or "") for change in changes)


@requirement("agents:install:timeouts")
def test_timeouts_are_seconds_or_milliseconds_as_the_harness_reads_them() -> None:
    found = {}
    for harness in ("claude-code", "codex", "cursor", "gemini"):
        text = made({}, planned(harness, {}))[get_harness(harness).files.hooks_file]
        entry = next(iter(json.loads(text or "")["hooks"].values()))[0]
        found[harness] = (entry["hooks"][0] if "hooks" in entry else entry)["timeout"]

    assert found == {"claude-code": 10, "codex": 10, "cursor": 10, "gemini": 10_000}


def test_claude_code_asks_for_every_event_and_guards_the_writing_tools() -> None:
    files = made({}, planned("claude-code", {}))

    hooks = json.loads(files[".claude/settings.json"] or "")["hooks"]
    assert set(hooks) == {
        "UserPromptSubmit",
        "SessionStart",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "Stop",
        "SessionEnd",
    }
    assert hooks["PreToolUse"][0]["matcher"] == "Write|Edit|MultiEdit|NotebookEdit|Bash"
    assert json.loads(files[".mcp.json"] or "") == {
        "mcpServers": {"recollect": {"command": serve()[0], "args": serve()[1:]}}
    }


def test_every_event_that_is_asked_for_is_one_that_its_dialect_knows() -> None:
    for harness in all_harnesses():
        assert set(harness.files.events) <= set(harness.kinds), harness.name


def test_gemini_is_not_asked_for_the_event_that_comes_before_every_request() -> None:
    files = made({}, planned("gemini", {}))
    text = files[".gemini/settings.json"] or ""
    assert "PreCompress" not in text
    before = text.replace('"AfterAgent"', '"PreCompress"')

    after = made({}, planned("gemini", {".gemini/settings.json": before}))

    assert set(commands(after[".gemini/settings.json"])) == set(get_harness("gemini").files.events)


def test_codex_gets_its_server_in_toml() -> None:
    files = made({}, planned("codex", {".codex/config.toml": 'model = "gpt"'}))

    config = tomllib.loads(files[".codex/config.toml"] or "")
    assert config == {
        "model": "gpt",
        "mcp_servers": {"recollect": {"command": serve()[0], "args": serve()[1:]}},
    }


def test_cursor_gets_a_rule_that_names_the_search_tool() -> None:
    files = made({}, planned("cursor", {}))

    assert json.loads(files[".cursor/hooks.json"] or "")["version"] == 1
    rule = files[".cursor/rules/recollect.mdc"] or ""
    assert "alwaysApply: true" in rule
    assert "`memory_search`" in rule


def test_opencode_gets_a_shim_that_runs_the_installed_hook() -> None:
    files = made({}, planned("opencode", {}))

    shim = files[".opencode/plugins/recollect.ts"] or ""
    line = next(line for line in shim.splitlines() if line.startswith("const HOOK = "))
    assert json.loads(line.removeprefix("const HOOK = ")) == hook("opencode")("x")[:-1]
    assert json.loads(files["opencode.json"] or "")["mcp"]["recollect"]["command"] == serve()


@pytest.mark.parametrize(
    "text",
    [
        '{\n  /* my settings\n  "model": "opus"\n}',
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        "not json",
        "",
    ],
)
def test_a_file_that_cannot_be_merged_is_left_alone_with_what_to_add(text: str) -> None:
    files: Files = {".claude/settings.json": text, ".mcp.json": None}

    changes = {change.path: change for change in planned("claude-code", files)}

    settings = changes[".claude/settings.json"]
    assert settings.after == settings.before == text
    assert "left alone" in settings.advice
    assert shlex.join(hook("claude-code")("Stop")) in settings.by_hand
    assert changes[".mcp.json"].after
    assert not changes[".mcp.json"].advice


def test_advice_for_a_file_of_hooks_and_servers_names_both() -> None:
    changes = planned("gemini", {".gemini/settings.json": "{ not json"})
    [change] = [change for change in changes if change.path == ".gemini/settings.json"]

    assert {"hooks", "mcpServers"} == json.loads(change.by_hand).keys()
    assert made({}, planned("gemini", {}))[".gemini/settings.json"] == change.by_hand + "\n"


def test_cursors_hooks_of_another_version_are_left_alone() -> None:
    changes = planned("cursor", {".cursor/hooks.json": '{"version": 2, "hooks": {}}'})

    assert changes[0].after == changes[0].before
    assert '"version": 1' in changes[0].by_hand


def test_somebody_elses_server_of_our_name_is_not_overwritten() -> None:
    text = '{"mcpServers": {"recollect": {"command": "npx", "args": ["other-recall"]}}}'

    changes = {change.path: change for change in planned("claude-code", {".mcp.json": text})}

    assert changes[".mcp.json"].after == text
    assert "another server" in changes[".mcp.json"].advice
    assert unplanned("claude-code", {".mcp.json": text}) == []


@pytest.mark.parametrize("path", [".cursor/rules/recollect.mdc", ".opencode/plugins/recollect.ts"])
def test_somebody_elses_file_of_our_name_is_neither_overwritten_nor_deleted(path: str) -> None:
    harness = "cursor" if "cursor" in path else "opencode"

    changes = {change.path: change for change in planned(harness, {path: "mine\n"})}

    assert changes[path].after == "mine\n"
    assert "did not write" in changes[path].advice
    assert unplanned(harness, {path: "mine\n"}) == []


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(NAMES), st.text('{}[]",: #=\nhooks', max_size=20) | texts(VALUES))
def test_any_text_at_all_is_planned_or_left_alone_with_advice(harness: str, text: str) -> None:
    files: Files = dict.fromkeys(files_of(harness), text)

    for change in [*planned(harness, files), *unplanned(harness, files)]:
        assert change.after != text or change.advice


def _settings(value: object) -> Files:
    mcp = made({}, planned("claude-code", {}))[".mcp.json"]
    return {".claude/settings.json": json.dumps(value, indent=2), ".mcp.json": mcp}


def test_our_hook_in_somebodys_group_is_updated_there_and_theirs_kept() -> None:
    old = shlex.join(hook("claude-code", "/old/python")("Stop"))
    theirs = {"type": "command", "command": "./notify.sh"}
    ours = {"type": "command", "command": old, "timeout": 5000, "statusMessage": "remembering"}
    files = _settings({"hooks": {"Stop": [{"matcher": "*", "hooks": [theirs, ours]}]}})

    after = made(files, planned("claude-code", files))

    stop = json.loads(after[".claude/settings.json"] or "")["hooks"]["Stop"]
    new = shell_line(hook("claude-code")("Stop"))
    assert stop == [
        {"matcher": "*", "hooks": [theirs, {**ours, "command": new, "timeout": 10}]},
    ]
    gone = made(after, unplanned("claude-code", after))
    assert json.loads(gone[".claude/settings.json"] or "")["hooks"]["Stop"] == [
        {"matcher": "*", "hooks": [theirs]}
    ]


def test_a_second_copy_and_an_event_that_we_no_longer_ask_for_are_taken_out() -> None:
    group = {
        "hooks": [{"type": "command", "command": "recollect-hook claude-code Stop", "timeout": 10}]
    }
    files = _settings({"hooks": {"Stop": [group, group], "SubagentStop": [group]}})

    after = made(files, planned("claude-code", files))

    found = commands(after[".claude/settings.json"])
    assert len(found["Stop"]) == 1
    assert "SubagentStop" not in found


def test_a_server_that_the_user_renamed_and_changed_is_updated_where_it_is() -> None:
    entry = {"command": "/old/bin/recollect", "args": ["serve"], "env": {"A": "1"}}
    text = json.dumps({"mcpServers": {"memory": entry}}, indent=2)

    changes = {change.path: change for change in planned("claude-code", {".mcp.json": text})}

    servers = json.loads(changes[".mcp.json"].after or "")["mcpServers"]
    assert servers == {"memory": {"command": serve()[0], "args": serve()[1:], "env": {"A": "1"}}}


def test_a_server_that_the_user_switched_off_stays_off() -> None:
    entry = {"type": "local", "command": ["/old/recollect", "serve"], "enabled": False}
    text = json.dumps({"mcp": {"recollect": entry}})

    changes = {change.path: change for change in planned("opencode", {"opencode.json": text})}

    assert json.loads(changes["opencode.json"].after or "")["mcp"]["recollect"]["enabled"] is False


def test_what_others_added_after_us_stays_when_we_go() -> None:
    files = made({}, planned("claude-code", {}))
    settings = json.loads(files[".claude/settings.json"] or "")
    settings["model"] = "opus"
    settings["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "./notify.sh"}]})
    files[".claude/settings.json"] = json.dumps(settings, indent=4)

    left = made(files, unplanned("claude-code", files))

    assert json.loads(left[".claude/settings.json"] or "") == {
        "model": "opus",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./notify.sh"}]}]},
    }
    assert left[".mcp.json"] is None


def test_disconnecting_what_was_never_connected_changes_nothing() -> None:
    for harness in NAMES:
        assert unplanned(harness, {}) == []
        assert unplanned(harness, dict.fromkeys(files_of(harness))) == []


def test_a_file_that_cannot_be_read_is_left_alone_on_the_way_out_too() -> None:
    [change] = unplanned("claude-code", {".claude/settings.json": "{ recollect/hook/ is in here"})

    assert change.after == change.before
    assert "yourself" in change.advice


def test_an_unknown_harness_is_refused_with_those_we_know() -> None:
    with pytest.raises(RefusedError, match="claude-code, codex, cursor, gemini, opencode"):
        files_of("emacs")


def test_a_path_that_no_text_file_can_hold_is_refused() -> None:
    with pytest.raises(RefusedError, match="not valid UTF-8"):
        planned("claude-code", {}, python="/opt/\udcff/python")
