"""A project, and its hook run as a harness runs it: a process of its own."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.hook.sessions import Sessions

from recollect.app.opening import hook_command


@dataclass(frozen=True, slots=True)
class Answer:
    """What a hook process did."""

    exit_code: int
    out: str
    err: str

    @property
    def context(self) -> str:
        """The text for the conversation; '' when there is none."""
        if not self.out:
            return ""
        return str(json.loads(self.out)["hookSpecificOutput"].get("additionalContext", ""))


@dataclass(frozen=True, slots=True)
class Harness:
    """Claude Code, as far as a hook can tell."""

    folder: Path
    env: dict[str, str]

    def raw(self, event: str, given: bytes, **env: str) -> Answer:
        done = subprocess.run(
            hook_command("claude-code", event),
            input=given,
            capture_output=True,
            env={**self.env, **env},
            cwd=self.folder,
            timeout=30,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def send(self, event: str, session: str = "s1", **fields: Any) -> Answer:
        told = {"session_id": session, "cwd": str(self.folder), "hook_event_name": event, **fields}
        return self.raw(event, json.dumps(told).encode())

    def prompt(self, text: str, session: str = "s1", **fields: Any) -> str:
        answer = self.send("UserPromptSubmit", session, prompt=text, **fields)
        assert answer.exit_code == 0
        assert answer.err == ""
        return answer.context


@pytest.fixture
def harness(folder: Path, env: dict[str, str]) -> Harness:
    return Harness(folder, {**env, "PATH": os.environ["PATH"]})


@pytest.fixture
def sessions(folder: Path, env: dict[str, str]) -> Sessions:
    return Sessions(folder, env)


Save = Callable[..., str]
