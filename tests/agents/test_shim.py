"""opencode's shim, run by node with a shell that we hold. It uses no syntax that only TypeScript has."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.agents.dialects import DIALECTS
from recollect.agents.own_files import SHIM

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None, reason="node is not installed: the shim for opencode was not run"
)

# A shell that notes what it is asked to run and answers from `answers`, by the event's name.
SHELL = """
import { Recollect } from "./recollect.mjs"
const [answers, script] = JSON.parse(process.argv[2])
const calls = []
const $ = (strings, ...values) => {
  const [command, event, body] = values
  const run = async () => {
    calls.push({ words: [...command, event], between: [...strings], told: JSON.parse(await body.text()) })
    const answer = answers[event] ?? ""
    if (answer === "!") throw new Error("no such program")
    if (answer === "...") return new Promise(() => {})
    return answer
  }
  const promise = { quiet: () => promise, nothrow: () => promise, text: run }
  return promise
}
const hooks = await Recollect({ $, directory: "/home/ana/shop" })
const steps = []
for (const [hook, input, output] of script) {
  try {
    await hooks[hook](input, output)
    steps.push({ output })
  } catch (error) {
    steps.push({ thrown: error.message })
  }
}
console.log(JSON.stringify({ calls, steps, hooks: Object.keys(hooks) }))
"""
MESSAGE = {"message": {"id": "msg_1"}, "parts": [{"type": "text", "text": "why tokens?"}]}
Step = tuple[str, dict[str, Any], dict[str, Any] | None]


def run(tmp_path: Path, answers: dict[str, str], *script: Step, shim: str | None = None) -> Any:
    (tmp_path / "recollect.mjs").write_text(shim or SHIM.read_text("utf-8"), "utf-8")
    (tmp_path / "shell.mjs").write_text(SHELL, "utf-8")
    assert NODE
    done = subprocess.run(
        [NODE, tmp_path / "shell.mjs", json.dumps([answers, script])],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def said(text: str) -> str:
    return json.dumps({"context": text})


@requirement("agents:shim:injects")
def test_context_becomes_a_synthetic_part_of_the_message(tmp_path: Path) -> None:
    ran = run(
        tmp_path, {"chat.message": said("<memory/>")}, ("chat.message", {"sessionID": "s"}, MESSAGE)
    )

    [step] = ran["steps"]
    assert step["output"]["parts"] == [
        MESSAGE["parts"][0],  # type: ignore[index]
        {
            "id": "prt_recollect_msg_1",
            "sessionID": "s",
            "messageID": "msg_1",
            "type": "text",
            "text": "<memory/>",
            "synthetic": True,
        },
    ]


@requirement("agents:shim:speaks-our-dialect")
def test_what_the_shim_tells_is_what_the_dialect_reads(tmp_path: Path) -> None:
    tool = {"tool": "bash", "sessionID": "s", "callID": "c"}
    ran = run(
        tmp_path,
        {},
        ("chat.message", {"sessionID": "s"}, MESSAGE),
        ("tool.execute.before", tool, {"args": {"command": "ls"}}),
        ("tool.execute.after", tool, {"title": "ls", "output": "README.md", "metadata": {}}),
        ("experimental.session.compacting", {"sessionID": "s"}, {"context": []}),
        ("event", {"event": {"type": "session.idle", "properties": {"sessionID": "s"}}}, None),
        ("event", {"event": {"type": "session.deleted", "properties": {"info": {"id": "s"}}}}, None),
    )

    events = [DIALECTS["opencode"].read(call["words"][-1], call["told"]) for call in ran["calls"]]

    assert [(event.kind, event.session, event.folder) for event in events] == [
        (kind, "s", "/home/ana/shop")
        for kind in ("session_start", "prompt", "tool_after", "compact", "stop", "session_end")
    ]
    assert events[0].start == "resume"
    assert events[1].prompt == "why tokens?"
    assert (events[2].tool, dict(events[2].tool_input), events[2].tool_output) == (
        "bash",
        {"command": "ls"},
        "README.md",
    )


def test_the_command_is_run_by_words_with_the_event_on_standard_input(tmp_path: Path) -> None:
    shim = SHIM.read_text("utf-8").replace('["recollect-hook", "opencode"]', '["/a b/python", "-I"]')

    ran = run(tmp_path, {}, ("chat.message", {"sessionID": "s"}, MESSAGE), shim=shim)

    assert ran["calls"][-1]["words"] == ["/a b/python", "-I", "chat.message"]
    assert ran["calls"][-1]["between"] == ["", " ", " < ", ""]


def test_a_session_is_greeted_once_and_one_made_just_now_is_a_startup(tmp_path: Path) -> None:
    made = {"event": {"type": "session.created", "properties": {"info": {"id": "s"}}}}

    ran = run(
        tmp_path,
        {"session.created": said("open ends"), "chat.message": said("a memory")},
        ("event", made, None),
        ("chat.message", {"sessionID": "s"}, MESSAGE),
        ("chat.message", {"sessionID": "s"}, MESSAGE),
    )

    assert [call["words"][-1] for call in ran["calls"]] == [
        "session.created",
        "chat.message",
        "chat.message",
    ]
    assert ran["calls"][0]["told"]["source"] == "startup"
    assert [step["output"]["parts"][-1]["text"] for step in ran["steps"][1:]] == [
        "open ends\na memory",
        "a memory",
    ]


@requirement("agents:shim:guards")
def test_a_denied_write_throws_the_reason_and_other_tools_are_not_asked_about(tmp_path: Path) -> None:
    denied = {"tool.execute.before": json.dumps({"deny": "use memory_save"})}

    ran = run(
        tmp_path,
        denied,
        ("tool.execute.before", {"tool": "write", "sessionID": "s", "callID": "1"}, {"args": {}}),
        ("tool.execute.before", {"tool": "read", "sessionID": "s", "callID": "2"}, {"args": {}}),
    )

    assert ran["steps"][0] == {"thrown": "use memory_save"}
    assert "thrown" not in ran["steps"][1]
    assert len(ran["calls"]) == 1


def test_compaction_keeps_what_the_hook_says(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        {"experimental.session.compacting": said("keep this")},
        ("experimental.session.compacting", {"sessionID": "s"}, {"context": ["theirs"]}),
    )

    assert ran["steps"][0]["output"] == {"context": ["theirs", "keep this"]}


@pytest.mark.parametrize("answer", ["", "not json", "null", "[]", '{"context": ""}', "!"])
@requirement("agents:shim:fails-open")
def test_a_hook_that_fails_or_babbles_changes_nothing(tmp_path: Path, answer: str) -> None:
    names = ("session.created", "chat.message", "tool.execute.before", "tool.execute.after")
    tool = {"tool": "write", "sessionID": "s", "callID": "1"}

    ran = run(
        tmp_path,
        dict.fromkeys(names, answer),
        ("chat.message", {"sessionID": "s"}, MESSAGE),
        ("tool.execute.before", tool, {"args": {"filePath": "a"}}),
        ("tool.execute.after", tool, {"output": "done"}),
        ("chat.message", {}, {}),
    )

    assert [step["output"] for step in ran["steps"]] == [
        MESSAGE,
        {"args": {"filePath": "a"}},
        {"output": "done"},
        {},
    ]


def test_a_hook_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    shim = SHIM.read_text("utf-8").replace("DEADLINE_MS = 5000", "DEADLINE_MS = 20")

    ran = run(
        tmp_path,
        {"chat.message": "..."},
        ("chat.message", {"sessionID": "s"}, MESSAGE),
        shim=shim,
    )

    assert ran["steps"] == [{"output": MESSAGE}]


def test_the_module_exports_one_plugin_and_nothing_else() -> None:
    """opencode calls everything that a plugin file exports."""
    exports = [line for line in SHIM.read_text("utf-8").splitlines() if line.startswith("export")]

    assert exports == ["export const Recollect = async ({ $, directory }) => {"]
