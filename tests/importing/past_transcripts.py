"""Transcripts as each harness leaves them, with one small session in them: a test fails and is fixed."""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

GOAL = "Make the checkout test pass again."
RULE = "We never skip a failing test here, because the nightly build hides it."
FAILURE = "FAILED tests/test_checkout.py::test_total - AssertionError: assert 3 == 4\n1 failed in 0.10s"
COMMIT = "[main 1a2b3c4d] Fix the total of a checkout\n 1 file changed"
ANSWER = "The total forgot the shipping fee; it is added now."


def write_lines(path: Path, rows: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class Claude:
    """Rows of a Claude Code transcript."""

    def __init__(self, folder: Path | str, session: str = "5f2c-claude") -> None:
        self.folder, self.session, self.minute = str(folder), session, 0

    def row(self, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        self.minute += 1
        return {
            "type": kind,
            "sessionId": self.session,
            "cwd": self.folder,
            "timestamp": f"2026-03-01T10:{self.minute % 60:02}:00.000Z",
            "isSidechain": False,
            "message": {"role": kind, "content": content},
            **more,
        }

    def said(self, text: str, **more: Any) -> dict[str, Any]:
        return self.row("user", text, **more)

    def answered(self, text: str) -> dict[str, Any]:
        return self.row("assistant", [{"type": "text", "text": text}])

    def call(
        self, number: int, tool: str, output: str, *, failed: bool = False, **fields: Any
    ) -> list[Any]:
        use = {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": fields}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output}
        return [self.row("assistant", [use]), self.row("user", [{**result, "is_error": failed}])]

    def session_rows(self) -> list[Any]:
        return [
            {"type": "summary", "summary": "x"},
            self.said(GOAL),
            *self.call(1, "Bash", FAILURE, failed=True, command="pytest -q"),
            *self.call(2, "Edit", "ok", file_path=f"{self.folder}/shop/checkout.py", old_string="a"),
            self.said(RULE),
            *self.call(3, "Bash", "1 passed", command="pytest -q"),
            *self.call(4, "Bash", COMMIT, command="git commit -am 'Fix the total'"),
            self.answered(ANSWER),
        ]


def claude_file(home: Path, folder: Path, session: str = "5f2c-claude", rows: Any = None) -> Path:
    slug = str(folder).replace("/", "-")
    path = home / ".claude" / "projects" / slug / f"{session}.jsonl"
    return write_lines(path, Claude(folder, session).session_rows() if rows is None else rows)


def codex_file(home: Path, folder: Path, session: str = "019a-codex") -> Path:
    def row(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": "2026-03-02T10:00:00.000Z", "type": kind, "payload": payload}

    def call(number: int, command: str, output: str, code: int) -> list[Any]:
        arguments = json.dumps({"command": ["bash", "-lc", command]})
        called = {"type": "function_call", "name": "shell", "arguments": arguments}
        ended = json.dumps({"output": output, "metadata": {"exit_code": code}})
        return [
            row("response_item", {**called, "call_id": f"call_{number}"}),
            row(
                "response_item",
                {"type": "function_call_output", "call_id": f"call_{number}", "output": ended},
            ),
        ]

    patch = f"*** Begin Patch\n*** Update File: {folder}/shop/checkout.py\n@@\n-a\n+b\n*** End Patch"
    edit = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "call_2", "input": patch}
    rows = [
        row("session_meta", {"id": session, "cwd": str(folder), "cli_version": "0.99.0"}),
        row("response_item", {"type": "message", "role": "user", "content": [{"text": "<context>"}]}),
        row("event_msg", {"type": "user_message", "message": GOAL, "kind": "plain"}),
        *call(1, "pytest -q", FAILURE, 1),
        row("response_item", edit),
        row("response_item", {"type": "custom_tool_call_output", "call_id": "call_2", "output": "ok"}),
        row("event_msg", {"type": "user_message", "message": RULE}),
        *call(3, "pytest -q", "1 passed", 0),
        *call(4, "git commit -am 'Fix the total'", COMMIT, 0),
        row("event_msg", {"type": "agent_message", "message": ANSWER}),
    ]
    return write_lines(home / ".codex/sessions/2026/03/02" / f"rollout-{session}.jsonl", rows)


def gemini_rows(folder: Path, session: str = "9c1d-gemini") -> list[Any]:
    def call(number: int, name: str, output: str, **fields: Any) -> dict[str, Any]:
        response = {
            "functionResponse": {"id": f"c{number}", "name": name, "response": {"output": output}}
        }
        return {
            "id": f"g{number}",
            "type": "gemini",
            "timestamp": "2026-03-03T10:00:00.000Z",
            "content": "",
            "toolCalls": [
                {
                    "id": f"c{number}",
                    "name": name,
                    "args": fields,
                    "status": "success",
                    "result": [response],
                    "resultDisplay": output.partition("\nExit Code")[0],
                }
            ],
        }

    def said(number: int, text: str) -> dict[str, Any]:
        return {"id": f"u{number}", "type": "user", "timestamp": "", "content": [{"text": text}]}

    return [
        {
            "sessionId": session,
            "projectHash": hashlib.sha256(str(folder).encode()).hexdigest(),
            "startTime": "2026-03-03T09:00:00.000Z",
        },
        said(1, GOAL),
        call(1, "run_shell_command", f"{FAILURE}\nExit Code: 1", command="pytest -q"),
        call(2, "replace", "ok", file_path=f"{folder}/shop/checkout.py"),
        said(2, RULE),
        call(3, "run_shell_command", "1 passed\nExit Code: 0", command="pytest -q"),
        call(4, "run_shell_command", COMMIT, command="git commit -am 'Fix the total'"),
        {"id": "g9", "type": "gemini", "timestamp": "", "content": ANSWER},
    ]


def gemini_file(home: Path, folder: Path) -> Path:
    path = home / ".gemini/tmp/project-1/chats/session-2026-03-03T09-00-9c1d.jsonl"
    return write_lines(path, gemini_rows(folder))


def gemini_document(home: Path, folder: Path) -> Path:
    head, *messages = gemini_rows(folder, "7777-gemini")
    path = home / ".gemini/tmp/project-1/chats/session-2026-03-03T08-00-7777.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**head, "messages": messages}, indent=2))
    return path


def opencode_parts(folder: Path) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The messages of an opencode session, each with its parts."""

    def text(words: str, **more: Any) -> dict[str, Any]:
        return {"type": "text", "text": words, **more}

    def call(tool: str, output: str, code: int, **fields: Any) -> dict[str, Any]:
        state = {"status": "completed", "input": fields, "output": output, "title": "", "metadata": {}}
        return {
            "type": "tool",
            "callID": f"call_{tool}_{code}_{len(output)}",
            "tool": tool,
            "state": {**state, "metadata": {"exit": code}},
        }

    user, agent = (
        {"role": role, "time": {"created": 1_772_600_000_000}} for role in ("user", "assistant")
    )
    return [
        (user, [text(GOAL), text("<memory-context>ours</memory-context>", synthetic=True)]),
        (
            agent,
            [
                call("bash", FAILURE, 1, command="pytest -q"),
                call("edit", "ok", 0, filePath=f"{folder}/shop/checkout.py"),
            ],
        ),
        (user, [text(RULE)]),
        (
            agent,
            [
                call("bash", "1 passed", 0, command="pytest -q"),
                call("bash", COMMIT, 0, command="git commit -am 'Fix the total'"),
                text(ANSWER),
            ],
        ),
    ]


def opencode_folder(home: Path, folder: Path, session: str = "ses_opencode") -> Path:
    storage = home / ".local/share/opencode/storage"
    file = storage / "session" / "proj" / f"{session}.json"
    _json(file, {"id": session, "directory": str(folder), "title": "Checkout"})
    for number, (message, parts) in enumerate(opencode_parts(folder)):
        name = f"msg_{session}_{number}"
        _json(storage / "message" / session / f"{name}.json", {**message, "id": name})
        for place, part in enumerate(parts):
            _json(storage / "part" / name / f"prt_{number}_{place}.json", part)
    return file


def _json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def opencode_database(home: Path, folder: Path, session: str = "ses_database") -> Path:
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT,"
        " title TEXT, time_created INTEGER, time_updated INTEGER);"
        "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);"
        "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
    )
    moment = 1_772_600_000_000
    facts = (session, "p", None, str(folder), "Checkout", moment, moment)
    db.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", facts)
    for number, (message, parts) in enumerate(opencode_parts(folder)):
        name = f"msg_{number}"
        db.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?)", (name, session, moment, json.dumps(message))
        )
        for place, part in enumerate(parts):
            row = (f"prt_{number}_{place}", name, session, json.dumps(part))
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    db.commit()
    db.close()
    return path


SPECSTORY = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-03-05 10:00:00Z

<!-- Claude Code Session 31aa-specstory (2026-03-05 10:00:00Z) -->

_**User (2026-03-05 10:00:00Z)**_

{GOAL}

---

_**Agent (some-model 2026-03-05 10:00:10Z)**_

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
Run the tests

`pytest -q`

```text
Error: Exit code 1
{FAILURE}
_**User (2026-03-05 10:00:00Z)**_
We always print headings of transcripts in our logs.
```
</details></tool-use>

_**Agent (some-model 2026-03-05 10:00:20Z)**_

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit**</summary>

Path: `shop/checkout.py`
</details></tool-use>

_**User (2026-03-05 10:01:00Z)**_

{RULE}

---

_**Agent (some-model 2026-03-05 10:01:10Z)**_

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>

`pytest -q`

```text
1 passed
```
</details></tool-use>

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>

`git commit -am 'Fix the total'`

```text
{COMMIT}
```
</details></tool-use>

{ANSWER}
"""


def specstory_file(folder: Path) -> Path:
    path = folder / ".specstory/history/2026-03-05_10-00-00Z-make-the-checkout.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SPECSTORY)
    return path
