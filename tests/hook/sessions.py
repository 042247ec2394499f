"""A project's sessions to test working memory with: the hook's work, event by event."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recollect.agents.event import Event
from recollect.hook.drafting import keep_left_over, on_close
from recollect.hook.index_lookup import open_index
from recollect.hook.project_paths import ProjectPaths, find_project
from recollect.hook.resume_block import resume_lines
from recollect.hook.working_memory import attention, on_prompt_mentions, on_tool_output
from recollect.paths import STATE_NAME
from recollect.redaction.gate import gate
from recollect.retrieval.boosts import Attention
from recollect.storage.files.drafts import FileDrafts
from recollect.storage.sqlite.state import StateDatabase, precise_now
from recollect.working.recorder import SessionRecorder

PYTEST = {"command": "pytest -q"}
FAILING = "FAILED tests/test_login.py::test_rename - assert 1 == 2\n1 failed in 0.1s"
PASSING = "1 passed in 0.1s"


class Sessions:
    """A project's hook, event by event, without the process around it."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.env = folder, env
        (folder / ".claude/memory/.recollect").mkdir(exist_ok=True)

    @property
    def place(self) -> ProjectPaths:
        found = find_project(str(self.folder), self.env)
        assert found
        return found

    def tool(self, tool: str, given: dict[str, Any], output: str = "", session: str = "s1") -> None:
        """A tool returned something; what it says of an exit code counts."""
        event = Event(
            "tool_after",
            "PostToolUse",
            session,
            str(self.folder),
            tool=tool,
            tool_input=given,
            tool_output=output,
            harness="claude-code",
        )
        with self.recorder() as recorder:
            on_tool_output(event, self.place, recorder)

    def edit(self, name: str = "src/login.py", session: str = "s1") -> None:
        self.tool("Edit", {"file_path": f"{self.folder}/{name}"}, "ok", session)

    def prompt(self, text: str, session: str = "s1") -> list[str]:
        event = Event(
            "prompt", "UserPromptSubmit", session, str(self.folder), prompt=text, harness="claude-code"
        )
        with self.recorder() as recorder:
            found = on_prompt_mentions(event, self.place, recorder)
        return [str(id) for id in found]

    def start(
        self, how: Any = "startup", session: str = "s1", harness: str = "", summarised_at: str = ""
    ) -> list[str]:
        event = Event(
            "session_start", "SessionStart", session, str(self.folder), start=how, harness=harness
        )
        with self.recorder() as recorder:
            return resume_lines(event, recorder, summarised_at)[0]

    def close(self, kind: Any = "stop", session: str = "s1", transcript: str = "") -> None:
        event = Event(
            kind, "Stop", session, str(self.folder), transcript=transcript, harness="claude-code"
        )
        with self.recorder() as recorder:
            on_close(event, self.place, recorder)

    def leave_over(self) -> None:
        event = Event("session_start", "SessionStart", "s2", str(self.folder))
        with self.recorder() as recorder:
            keep_left_over(event, self.place, recorder)

    def attention(self) -> Attention | None:
        event = Event("prompt", "UserPromptSubmit", "s1", str(self.folder))
        with self.recorder() as recorder:
            return attention(event, self.place, open_index(self.place), recorder)

    @contextmanager
    def recorder(self) -> Iterator[SessionRecorder]:
        """The recorder of the project's sessions, closed in the end; a hook leaves that to its process."""
        opened = StateDatabase(str(self.folder / ".claude/memory/.recollect" / STATE_NAME))
        try:
            yield SessionRecorder(opened, precise_now)
        finally:
            opened.close()

    def contents(self, session: str = "s1") -> list[str]:
        return [
            item.content
            for item, _ in self.asked(lambda found: found.stores.sessions.memory(session).ranked())
        ]

    def asked(self, question: Callable[[SessionRecorder], Any]) -> Any:
        with self.recorder() as recorder:
            return question(recorder)

    @property
    def drafts(self) -> dict[str, dict[str, Any]]:
        found = FileDrafts(self.place.state, gate).all()
        return {draft.name: draft.document for draft in found}
