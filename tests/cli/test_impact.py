"""`hook-command`, `status` and `impact`."""

import hashlib
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement

from recollect.agents.harnesses import NAMES, get_harness
from recollect.app.opening import hook_command
from recollect.app.review.unused import UNUSED_BEFORE_REVIEW
from recollect.ids import UnifiedId
from recollect.paths import STATE_NAME
from recollect.storage.sqlite.state import StateDatabase, precise_now
from recollect.views.harnesses import HookCommandOutput, ImpactOutput, StatusOutput
from recollect.working.recorder import SessionRecorder

ID = "sign-a-jwt-at-login"


def given(cli: Cli, *, times: int, used: int = 0, memory: str = ID) -> None:
    """Note that a memory was given to prompts, as the hook does."""
    state = StateDatabase(str(cli.root / ".recollect" / STATE_NAME))
    recorder = SessionRecorder(state, precise_now)
    for number in range(times):
        recorder.give(f"{memory}-{number}", [UnifiedId(f"mem:{memory}")], 0.75)
        if number < used:
            recorder.use(f"{memory}-{number}", [f"mem:{memory}"], "read")
    state.close()


def test_the_command_is_what_init_writes(bare: Cli) -> None:
    told = bare.ok("hook-command", "UserPromptSubmit", "--json").json()
    assert mismatches(told, HookCommandOutput) == []
    words = hook_command("claude-code", "UserPromptSubmit")
    assert told == {"command": words, "shell": f"{shlex.join(words)} || true"}
    assert bare.ok("hook-command", "UserPromptSubmit").out == told["shell"] + "\n"

    for way, file in (("--local", "settings.local.json"), ("--shared", "settings.json")):
        line = bare.ok("hook-command", "UserPromptSubmit", way).out.rstrip("\n")
        bare.ok("init", "--harness", "claude-code", way, "--yes")
        settings = json.loads((bare.folder / ".claude" / file).read_text())
        [group] = settings["hooks"]["UserPromptSubmit"]
        assert group["hooks"][0]["command"] == line


@pytest.mark.parametrize("event", ["Foo", "userpromptsubmit", ""])
def test_the_command_of_an_event_that_the_harness_does_not_have_is_an_error(
    bare: Cli, event: str
) -> None:
    done = bare("hook-command", event)

    assert done.exit_code == 5
    assert f"no event {event!r}; it has UserPromptSubmit, " in " ".join(done.err.split())


def test_the_command_runs(cli: Cli) -> None:
    told = cli.ok("hook-command", "BeforeAgent", "--harness", "gemini", "--json").json()

    for words in (told["command"], ["sh", "-c", told["shell"]]):
        done = subprocess.run(
            words, input=b"{}", capture_output=True, cwd=cli.folder, env=cli.env, check=False
        )

        assert (done.returncode, done.stderr) == (0, b"")


def test_a_harness_that_is_not_known_is_refused_and_the_known_ones_are_named(bare: Cli) -> None:
    done = bare("hook-command", "Stop", "--harness", "emacs")

    assert done.exit_code == 5
    assert "'emacs'" in done.err
    assert all(name in done.err for name in NAMES)


@requirement("connections:status:shows")
def test_status_shows_what_is_connected_and_what_prompts_were_given(cli: Cli) -> None:
    cli.save()
    (cli.folder / "GEMINI.md").write_text("")
    cli.ok("init", "--harness", "codex", "--yes")
    given(cli, times=2, used=1)

    told = cli.ok("status", "--json").json()

    assert mismatches(told, StatusOutput) == []
    assert told["memories"] == 1
    codex = {"name": "codex", "present": True, "connected": True, "plugin": False}
    gemini = {"name": "gemini", "present": True, "connected": False, "plugin": False}
    assert told["harnesses"] == [
        {**codex, "next_step": get_harness("codex").approval.step, "obstacle": ""},
        {**gemini, "next_step": "", "obstacle": ""},
    ]
    assert [(row["id"], row["probability"], row["used"]) for row in told["given"]] == [
        (ID, 0.75, "read"),
        (ID, 0.75, None),
    ]
    shown = cli.ok("status").out
    assert f"codex connected\n          next: {get_harness('codex').approval.step}" in shown
    assert "gemini not connected; run recollect init" in shown
    assert f"{ID} probability 0.75 read" in shown
    assert "not used yet" in shown


def test_status_shows_that_codex_trusts_the_hooks(cli: Cli) -> None:
    cli.ok("init", "--harness", "codex", "--yes")
    hooks = cli.folder.resolve() / ".codex" / "hooks.json"
    home = Path(cli.env["HOME"]) / ".codex"
    home.mkdir(parents=True)
    (home / "config.toml").write_text(trusting(hooks), "utf-8")

    [row] = cli.ok("status", "--json").json()["harnesses"]
    assert row["next_step"] == ""
    assert "codex connected and trusted" in cli.ok("status").out
    assert cli.ok("init", "--harness", "codex", "--yes", "--json").json()["notes"] == []

    hooks.write_text(hooks.read_text().replace(" || true", ""))
    assert "trust the hooks again" in cli.ok("status").out


def test_status_reads_codexs_trust_from_where_codex_was_moved(cli: Cli, tmp_path: Path) -> None:
    cli.ok("init", "--harness", "codex", "--yes")
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "config.toml").write_text(trusting(cli.folder.resolve() / ".codex/hooks.json"), "utf-8")

    assert "codex connected and trusted" not in cli.ok("status").out
    cli.env["CODEX_HOME"] = str(moved)
    assert "codex connected and trusted" in cli.ok("status").out


def trusting(hooks: Path) -> str:
    """Codex's configuration after every hook in a file was trusted."""
    lines = []
    for event, [group] in json.loads(hooks.read_text())["hooks"].items():
        name = re.sub("(?<=[a-z])([A-Z])", r"_\1", event).lower()
        whole = {"event_name": name, **group, "hooks": [group["hooks"][0] | {"async": False}]}
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(text.encode()).hexdigest()
        lines += [f'[hooks.state."{hooks}:{name}:0:0"]', f'trusted_hash = "sha256:{digest}"']
    return "\n".join(lines)


def test_status_tells_a_plugin_from_no_connection_and_from_two(cli: Cli) -> None:
    settings = cli.folder / ".claude" / "settings.local.json"
    settings.write_text('{"enabledPlugins": {"memory@recollect": true}}')

    [row] = cli.ok("status", "--json").json()["harnesses"]
    assert (row["connected"], row["plugin"], row["next_step"]) == (False, True, "")
    assert "claude-code connected by its plugin" in cli.ok("status").out

    cli.ok("init", "--harness", "claude-code", "--yes")
    assert "connected twice" in cli.ok("status").out


def test_status_of_a_new_project_says_so(cli: Cli) -> None:
    told = cli.ok("status", "--json").json()

    assert (told["memories"], told["harnesses"], told["given"]) == (0, [], [])
    assert "none detected" in cli.ok("status").out


@requirement("connections:impact:review")
def test_a_memory_given_five_times_in_vain_is_proposed_for_review(cli: Cli) -> None:
    cli.save()
    cli.save("Opaque sessions", "--allow-duplicate")
    cli.save("Keep uploads small", "--allow-duplicate")
    given(cli, times=UNUSED_BEFORE_REVIEW)
    given(cli, times=UNUSED_BEFORE_REVIEW + 1, used=1, memory="opaque-sessions")
    given(cli, times=UNUSED_BEFORE_REVIEW - 1, memory="keep-uploads-small")

    told = cli.ok("impact", "--json").json()

    assert mismatches(told, ImpactOutput) == []
    assert [(row["id"], row["given"], row["used"], row["review"]) for row in told["memories"]] == [
        ("opaque-sessions", 6, 1, False),
        (ID, 5, 0, True),
        ("keep-uploads-small", 4, 0, False),
    ]
    lines = cli.ok("impact").out.splitlines()
    assert [line.split()[0] for line in lines if "review it" in line] == [ID]
    assert cli.memory(ID)["record_status"] == "active"


@pytest.mark.parametrize("damage", ["gone", "broken"])
def test_a_memory_that_is_gone_or_broken_is_still_counted(cli: Cli, damage: str) -> None:
    cli.save()
    given(cli, times=1)
    path = cli.root / "decisions" / f"{ID}.json"
    if damage == "gone":
        path.unlink()
    else:
        path.write_text("{")

    [row] = cli.ok("impact", "--json").json()["memories"]

    assert (row["id"], row["title"], row["given"]) == (ID, None, 1)
    assert "(deleted)" in cli.ok("impact").out


def test_impact_before_any_prompt_says_so(cli: Cli) -> None:
    assert cli.ok("impact", "--json").json() == {"memories": []}
    assert "No memory has been injected yet." in cli.ok("impact").out


def test_a_hostile_title_is_shown_as_text(cli: Cli) -> None:
    cli.put(id=ID, title="[bold]x[/nope] \x1b[31m\u202ered")
    given(cli, times=1)

    shown = cli.ok("impact").out

    assert "[bold]x[/nope]" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
