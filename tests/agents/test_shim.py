"""opencode's shim, run by node with a shell that we hold. It uses no syntax that only TypeScript has."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect import agents
from recollect.agents.harnesses import get_harness
from recollect.agents.launch import SHARED
from recollect.working.tool_result import read_tool_result

SHIM = Path(agents.__file__).with_name("opencode_shim.ts")

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


def happened(type: str, **properties: object) -> Step:
    return "event", {"event": {"type": type, "properties": properties}}, None


def prompted(session: str = "s") -> Step:
    return "chat.message", {"sessionID": session}, MESSAGE


def spoke(text: str, session: str = "s") -> Step:
    return "experimental.text.complete", {"sessionID": session}, {"text": text}


def asked(ran: Any, field: str = "session_id") -> list[tuple[str, Any]]:
    """Each event that the hook was asked about, and one field of what it was told."""
    return [(call["words"][-1], call["told"].get(field)) for call in ran["calls"]]


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


def test_what_the_shim_tells_is_what_the_dialect_reads(tmp_path: Path) -> None:
    tool = {"tool": "bash", "sessionID": "s", "callID": "c"}
    ran = run(
        tmp_path,
        {},
        ("chat.message", {"sessionID": "s"}, MESSAGE),
        ("tool.execute.before", tool, {"args": {"command": "ls"}}),
        ("tool.execute.after", tool, {"title": "ls", "output": "README.md", "metadata": {}}),
        ("experimental.session.compacting", {"sessionID": "s"}, {"context": []}),
        happened("session.idle", sessionID="s"),
        happened("session.deleted", info={"id": "s"}),
    )

    events = [get_harness("opencode").event(call["words"][-1], call["told"]) for call in ran["calls"]]

    assert [(event.kind, event.session, event.folder) for event in events] == [
        (kind, "s", "/home/ana/shop")
        for kind in (
            "session_start",
            "prompt",
            "tool_before",
            "tool_after",
            "compact",
            "stop",
            "session_end",
        )
    ]
    assert events[0].start == "resume"
    assert events[1].prompt == "why tokens?"
    assert (events[3].tool, dict(events[3].tool_input), events[3].tool_output) == (
        "bash",
        {"command": "ls"},
        "README.md",
    )


def test_the_command_is_run_by_words_with_the_event_on_standard_input(tmp_path: Path) -> None:
    words = json.dumps(SHARED.hook("opencode", "event")[:-1])
    shim = SHIM.read_text("utf-8").replace(words, '["/a b/python", "-I"]')

    ran = run(tmp_path, {}, ("chat.message", {"sessionID": "s"}, MESSAGE), shim=shim)

    assert ran["calls"][-1]["words"] == ["/a b/python", "-I", "chat.message"]
    assert ran["calls"][-1]["between"] == ["", " ", " < ", ""]


def test_a_session_is_greeted_once_and_one_made_just_now_is_a_startup(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        {"session.created": said("open ends"), "chat.message": said("a memory")},
        happened("session.created", info={"id": "s"}),
        prompted(),
        prompted(),
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


def test_a_denied_write_throws_the_reason_and_other_tools_are_not_asked_about(tmp_path: Path) -> None:
    denied = {"tool.execute.before": json.dumps({"deny": "use memory_save"})}

    ran = run(
        tmp_path,
        denied,
        ("tool.execute.before", {"tool": "write", "sessionID": "s", "callID": "1"}, {"args": {}}),
        ("tool.execute.before", {"tool": "bash", "sessionID": "s", "callID": "2"}, {"args": {}}),
        ("tool.execute.before", {"tool": "read", "sessionID": "s", "callID": "3"}, {"args": {}}),
    )

    assert ran["steps"][0] == ran["steps"][1] == {"thrown": "use memory_save"}
    assert "thrown" not in ran["steps"][2]
    assert len(ran["calls"]) == 2


def test_a_compacted_session_starts_anew_at_its_next_prompt_and_only_then(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        {},
        happened("session.created", info={"id": "s"}),
        prompted(),
        ("experimental.session.compacting", {"sessionID": "s"}, {"context": ["theirs"]}),
        happened("session.compacted", sessionID="s"),
        prompted(),
        prompted(),
    )

    assert asked(ran, "source") == [
        ("session.created", "startup"),
        ("chat.message", None),
        ("experimental.session.compacting", None),
        ("session.created", "compact"),
        ("chat.message", None),
        ("chat.message", None),
    ]
    assert ran["steps"][2]["output"] == {"context": ["theirs"]}


def test_a_stop_tells_what_was_said_last_and_not_what_a_compaction_wrote(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        {},
        spoke("Let me look."),
        spoke("Opaque tokens it is."),
        spoke("elsewhere", session="other"),
        ("experimental.session.compacting", {"sessionID": "s"}, {"context": []}),
        spoke("Summary of all that was said."),
        happened("session.compacted", sessionID="s"),
        happened("session.idle", sessionID="s"),
        spoke("Done."),
        happened("session.idle", sessionID="s"),
        happened("session.idle", sessionID="silent"),
    )

    stops = [call["told"] for call in ran["calls"] if call["words"][-1] == "session.idle"]
    assert [get_harness("opencode").event("session.idle", told).last_message for told in stops] == [
        "Opaque tokens it is.",
        "Done.",
        "",
    ]


def test_a_compaction_that_failed_is_over_at_the_next_prompt(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        {},
        ("experimental.session.compacting", {"sessionID": "s"}, {"context": []}),
        prompted(),
        spoke("An answer."),
        happened("session.idle", sessionID="s"),
    )

    assert asked(ran, "last_assistant_message")[-1] == ("session.idle", "An answer.")


def test_a_subagent_neither_starts_nor_stops_and_its_tools_are_its_owners(tmp_path: Path) -> None:
    """Its prompts have no session, so that none is recorded for it."""
    tool = {"tool": "bash", "sessionID": "deeper", "callID": "c"}
    ran = run(
        tmp_path,
        {"chat.message": said("a memory")},
        happened("session.created", info={"id": "s"}),
        happened("session.created", info={"id": "sub", "parentID": "s"}),
        happened("session.created", info={"id": "deeper", "parentID": "sub"}),
        prompted("deeper"),
        ("tool.execute.before", tool, {"args": {"command": "ls"}}),
        ("tool.execute.after", tool, {"output": "README.md"}),
        happened("session.idle", sessionID="deeper"),
        happened("session.idle", sessionID="sub"),
        happened("session.deleted", info={"id": "sub", "parentID": "s"}),
        happened("session.idle", sessionID="s"),
    )

    assert asked(ran) == [
        ("chat.message", ""),
        ("tool.execute.before", "s"),
        ("tool.execute.after", "s"),
        ("session.idle", "s"),
    ]
    assert ran["steps"][3]["output"]["parts"][-1]["text"] == "a memory"


@pytest.mark.parametrize(
    ("metadata", "failed"),
    [({"exit": 3}, True), ({"exit": 0}, False), ({"exit": None}, False), ({}, False)],
)
def test_a_command_that_failed_is_told_from_one_that_did_not(
    tmp_path: Path, metadata: dict[str, int | None], failed: bool
) -> None:
    tool = {"tool": "bash", "sessionID": "s", "callID": "c", "args": {"command": "make"}}

    ran = run(tmp_path, {}, ("tool.execute.after", tool, {"output": "boom", "metadata": metadata}))

    event = get_harness("opencode").event("tool.execute.after", ran["calls"][0]["told"])
    seen = read_tool_result(event.tool, event.tool_input, event.tool_output, failed=False)
    assert seen.failed is failed
    assert seen.output.endswith("boom")


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
