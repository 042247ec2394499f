"""Running commands: in this process for speed, in another one for the real thing."""

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.samples import document, draft

from recollect.cli import main
from recollect.records.categories import Category
from recollect.records.json_format import JsonObject


@dataclass(frozen=True, slots=True)
class Run:
    """What a command did: its exit code, and what it said."""

    exit_code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


class _Keyboard(io.TextIOWrapper):
    """Standard input as a terminal's."""

    def isatty(self) -> bool:
        return True


@dataclass(slots=True)
class Cli:
    """The command line in a folder, with an environment of its own."""

    folder: Path
    env: dict[str, str]
    monkeypatch: pytest.MonkeyPatch
    root: Path = field(init=False)

    def __post_init__(self) -> None:
        self.root = self.folder / ".claude" / "memory"

    def __call__(
        self,
        *arguments: str,
        stdin: str | bytes = b"",
        cwd: Path | None = None,
        at_terminal: bool = False,
    ) -> Run:
        """Run a command in this process; `at_terminal` lets standard input pass for a keyboard."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        with self.monkeypatch.context() as patch:
            for name in list(os.environ):
                patch.delenv(name)
            for name, value in self.env.items():
                patch.setenv(name, value)
            patch.chdir(cwd or self.folder)
            patch.setattr(sys, "argv", ["recollect", *arguments])
            patch.setattr(
                sys,
                "stdin",
                (_Keyboard if at_terminal else io.TextIOWrapper)(io.BytesIO(data), "utf-8"),
            )
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as left:
                main.main()
        return Run(int(left.value.code or 0), _text(out), _text(err))

    def ok(
        self,
        *arguments: str,
        stdin: str | bytes = b"",
        cwd: Path | None = None,
        at_terminal: bool = False,
    ) -> Run:
        """Run a command that must succeed."""
        done = self(*arguments, stdin=stdin, cwd=cwd, at_terminal=at_terminal)
        assert done.exit_code == 0, done
        return done

    def process(self, *arguments: str, stdin: str = "") -> Run:
        """Run a command in a process of its own."""
        command = [sys.executable, "-m", "recollect", *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.env,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    def save(self, title: str = "Sign a JWT at login", *options: str, **fields: Any) -> dict[str, Any]:
        """Save a memory of that title, and return what the command printed."""
        record = json.dumps(draft(title, **fields).document)
        return self.ok("save", "--file", "-", "--json", *options, stdin=record).json()

    def memory(self, id: str) -> dict[str, Any]:
        """The record of a memory, as the command line shows it."""
        found: dict[str, Any] = self.ok("show", id, "--json").json()["memory"]
        return found

    def put(self, category: Category = Category.DECISION, **fields: Any) -> Path:
        """Write a memory's file past the command line, as a person or another tool would."""
        record: JsonObject = document(category, **fields)
        return self.write(f"{record['id']}.json", json.dumps(record, indent=2).encode(), category)

    def write(self, name: str, data: bytes, category: Category = Category.DECISION) -> Path:
        """Write any bytes into a category's folder."""
        path = self.root / category.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def git(self, *arguments: str, check: bool = True) -> Run:
        """Run git in the project."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done
        return Run(done.returncode, done.stdout, done.stderr)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()
