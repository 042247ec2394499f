"""A conversation with the real hook: each event is a process of its own, as a harness starts it."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recollect.app.opening import hook_command
from recollect.paths import hook_log

PATIENCE = 10  # a busy machine does not hurry a hook of these tests
PYTEST = "pytest -q"
FAILING = "FAILED tests/test_login.py::test_rename - assert 1 == 2\n1 failed in 0.1s"
PASSING = "1 passed in 0.1s"


@dataclass(frozen=True, slots=True)
class Done:
    """What a hook process did, and how long its harness waited."""

    out: str
    seconds: float

    @property
    def context(self) -> str:
        """The text for the conversation; '' when there is none."""
        told = json.loads(self.out) if self.out else {}
        inner = told.get("hookSpecificOutput", {})
        found = inner.get("additionalContext") or told.get("additional_context") or told.get("context")
        return str(found or "")


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session of one harness in a project."""

    folder: Path
    env: dict[str, str]
    session: str = "s1"
    harness: str = "claude-code"

    def patient(self, factor: int) -> "Conversation":
        """The same session with hooks whose limits are so many times the real ones."""
        return replace(self, env={**self.env, "RECOLLECT_HOOK_PATIENCE": str(factor)})

    def other(self, session: str, harness: str = "claude-code") -> "Conversation":
        """Another session of the same project."""
        return replace(self, session=session, harness=harness)

    def payload(self, event: str, **fields: Any) -> bytes:
        named = {"session_id": self.session, "cwd": str(self.folder), "hook_event_name": event}
        return json.dumps({**named, **fields}).encode()

    def start(self, event: str, **fields: Any) -> "subprocess.Popen[bytes]":
        """A hook process that has its event and is at work."""
        process = subprocess.Popen(
            hook_command(self.harness, event),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env,
            cwd=self.folder,
        )
        assert process.stdin
        process.stdin.write(self.payload(event, **fields))
        process.stdin.close()
        process.stdin = None
        return process

    def send(self, event: str, **fields: Any) -> Done:
        """An event, and what came of it. A hook never fails, whatever it does."""
        began = time.monotonic()
        process = self.start(event, **fields)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        return Done(out.decode(), time.monotonic() - began)

    def prompt(self, text: str, **fields: Any) -> str:
        return self.send("UserPromptSubmit", prompt=text, **fields).context

    def tool(self, tool: str, given: dict[str, Any], output: object = "ok", **fields: Any) -> Done:
        return self.send(
            "PostToolUse", tool_name=tool, tool_input=given, tool_response=output, **fields
        )

    def bash(self, command: str, output: str) -> Done:
        return self.tool("Bash", {"command": command}, {"stdout": output, "stderr": ""})

    def edit(self, name: str) -> Done:
        return self.tool("Edit", {"file_path": f"{self.folder}/{name}"})

    def resumed(self, how: str = "resume") -> str:
        return self.send("SessionStart", source=how).context

    def at_once(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Done]:
        """Tool calls whose hooks run at the same time."""
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(lambda call: self.tool(*call), calls))

    def command(self, *words: str) -> Any:
        """What a command of ours prints as JSON, run by its user."""
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *words, "--json"],
            capture_output=True,
            env=self.env,
            cwd=self.folder,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def kept(self, folder: str) -> list[Path]:
        """The files of the memory in one of its folders."""
        return sorted((self.folder / ".claude/memory" / folder).glob("*.json"))

    @property
    def drafts(self) -> dict[str, bytes]:
        """The drafts that wait, byte for byte."""
        found = sorted(self.kept(".recollect/drafts"))
        return {path.stem: path.read_bytes() for path in found}

    @property
    def log(self) -> str:
        """What hooks noted as gone wrong."""
        path = Path(hook_log(self.env))
        return path.read_text() if path.exists() else ""

    @property
    def state(self) -> Path:
        return self.folder / ".claude/memory/.recollect/state.db"

    def asked(self, sql: str, *given: object) -> list[tuple[Any, ...]]:
        """What the state holds."""
        db = sqlite3.connect(self.state)
        try:
            with db:
                return db.execute(sql, given).fetchall()
        finally:
            db.close()

    @property
    def event(self) -> int:
        """How many tool calls of this session were counted."""
        sql = "SELECT coalesce(max(tool_event), 0) FROM session WHERE id = ?"
        return int(self.asked(sql, self.session)[0][0])


def begun(folder: Path, home: Path) -> Conversation:
    """A conversation in a project of its own, whose session has started."""
    (folder / ".claude/memory").mkdir(parents=True, exist_ok=True)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "RECOLLECT_HOOK_PATIENCE": str(PATIENCE)}
    conversation = Conversation(folder, env)
    conversation.resumed("startup")
    return conversation


def undated(text: str) -> str:
    """A text without its days."""
    return re.sub(r"\d{4}-\d\d-\d\d", "DAY", text)
