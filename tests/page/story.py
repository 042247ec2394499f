"""A project with a history, for the tests of the page and its pictures, built with the application itself.

`python -m tests.page.story FOLDER` builds one below FOLDER; look at it with
`HOME=FOLDER/home recollect --project FOLDER/tidewater web`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import anyio
from tests.page.story_memories import LINKS, MEMORIES, StoryMemory
from tests.page.story_servers import (
    BOOKINGS,
    CANCELLED_SAILING,
    CHANGED_MAIL,
    CODE,
    MAIL,
    REFUND,
)
from tests.page.story_skills import SKILLS
from tests.upstreams.servers import light_entry

from recollect.app.gateway import Gateway, open_gateway
from recollect.app.local_runs import local_runs
from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.app.run_store import open_run_store
from recollect.cli.run_session import Terminal
from recollect.clock import to_text
from recollect.gateway.receipts import Outcome, Receipt
from recollect.gateway.speculation_use import SpeculationUse
from recollect.hook.answer import answer
from recollect.hook.process import record_latency
from recollect.ids import UnifiedId
from recollect.paths import STATE_NAME
from recollect.records.draft import Draft
from recollect.records.record import Link
from recollect.retrieval.request import Request
from recollect.storage.sqlite.state import StateDatabase
from recollect.views.code import code_workflow
from recollect.working.session_state import Injection

SESSION = "5b1f0c7e-ferry"
_NEVER_USED = "write-the-failing-test-first"
_GIT = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@localhost"))}  # fmt: skip
_PROMPTS = (
    "the month view with prices is slow again, what did we decide about caching?",
    "refund the passengers of the cancelled sailing to Borkum",
    "why do we look up opaque tokens on every call?",
    "what is a good name for a cat?",
)
_FAILED = """
=========================== short test summary info ============================
FAILED tests/test_pricing.py::test_a_changed_rule_drops_the_price - AssertionError: 4200 != 3900
========================= 1 failed, 41 passed in 3.12s =========================
"""
_LOGS = """logs/api.log:212:error: 502 from the payment gateway
logs/api.log:213:error: retried with Authorization: Bearer ghp_x7Qp2Lm9Rt4Vw8Zkx7Qp2Lm9Rt4Vw8ZkAb3D
"""
_RECORD = "# 7. Prices\n\nA price is computed from the rules of its route and cached for a minute."


@dataclass(slots=True)
class _Clock:
    now: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, slots=True)
class Story:
    """The project, and the environment in which it was built. `paused` and `finished` are runs."""

    folder: Path
    env: Mapping[str, str]
    finished: str
    paused: str


def build(place: Path) -> Story:
    """Build the project below a folder."""
    folder, home = place / "tidewater", place / "home"
    home.mkdir(parents=True)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **_GIT}
    _sources(folder, env)
    now = datetime.now(UTC).replace(microsecond=0)
    _memories(folder, env, now)
    project = open_project(folder, env=env)
    _injections(project, now)
    _session(folder, env)
    _searches(project)
    gateway = open_gateway(env)
    _servers(gateway)
    _receipts(gateway, now)
    finished, paused = anyio.run(_runs, gateway, folder)
    _change_mail(gateway)
    (folder / "src" / "cache.py").write_text("def remember(key, price, seconds=300):\n    ...\n")
    return Story(folder, env, finished, paused)


def _sources(folder: Path, env: Mapping[str, str]) -> None:
    (folder / ".claude" / "memory").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "src" / "pricing.py").write_text("def price(sailing):\n    return rules(sailing)\n")
    (folder / "src" / "cache.py").write_text("def remember(key, price, seconds=60):\n    ...\n")
    for name, text in SKILLS.items():
        page = folder / ".claude" / "skills" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "Sell tickets for ferries")):
        subprocess.run(["git", *words], cwd=folder, env=dict(env), check=True)


def _memories(folder: Path, env: Mapping[str, str], now: datetime) -> None:
    clock = _Clock()
    project = open_project(folder, env=env, clock=clock)
    for memory in MEMORIES:
        clock.now = now - timedelta(days=memory.days_ago, hours=memory.days_ago % 7)
        project.memories.save(Draft(_document(memory, project)))
    clock.now = now - timedelta(hours=5)
    for link in LINKS:
        target = UnifiedId(f"mem:{link.target}")
        project.memories.link(link.source, Link(link.type, target, link.evidence or None))
    project.memories.retire("seat-maps-are-drawn-by-hand", "a tool draws them since the refit")


def _document(memory: StoryMemory, project: Recollect) -> dict[str, Any]:
    anchors = [project.worktree.anchor(name, project.folder) for name in memory.files]
    return {
        "category": memory.category.value,
        "title": memory.title,
        "tags": list(memory.tags),
        "content": memory.content,
        **({"anchors": anchors, "related_files": list(memory.files)} if anchors else {}),
    }


def _injections(project: Recollect, now: datetime) -> None:
    """A month of injections, of which more and more were used."""
    chance = Random(18)
    ids = [
        UnifiedId(f"mem:{stored.memory.id}")
        for stored in project.memories.scan().stored
        if stored.memory.id != _NEVER_USED
    ]
    rows = []
    for back in range(29, 0, -1):
        day = now - timedelta(days=back)
        count = 0 if day.weekday() >= 5 and chance.random() < 0.7 else chance.randint(3, 11)
        for number, id in enumerate(chance.sample(ids, min(count, len(ids)))):
            used = (
                chance.choice(("read", "cited", "touched"))
                if chance.random() < 0.75 - back / 60
                else None
            )
            at = to_text(day.replace(hour=8 + number % 9, minute=chance.randrange(60)))
            rows.append(
                Injection(f"session-{back}", id, at, round(chance.uniform(0.42, 0.97), 2), used)
            )
    for back in range(6):
        at = to_text(now - timedelta(days=back + 1))
        rows.append(Injection(f"lunch-{back}", UnifiedId(f"mem:{_NEVER_USED}"), at, 0.44))
    project.prepare_state_folder()
    database = StateDatabase(str(project.state_folder / STATE_NAME))
    database.injections.save(rows)
    database.close()
    for _ in range(60):
        record_latency(str(project.state_folder), "hook prompt", chance.lognormvariate(-3.9, 0.3))
        record_latency(str(project.state_folder), "hook tool_after", chance.lognormvariate(-4.4, 0.3))


def _session(folder: Path, env: Mapping[str, str]) -> None:
    """A session of today through the hook: prompts, a failing test, edits, and a pause that drafts."""

    def send(name: str, **fields: object) -> None:
        payload = {"session_id": SESSION, "cwd": str(folder), "hook_event_name": name, **fields}
        answer("claude-code", name, json.dumps(payload).encode(), env)

    def tool(name: str, given: dict[str, str], response: object = "ok") -> None:
        send("PostToolUse", tool_name=name, tool_input=given, tool_response=response)

    send("SessionStart", source="startup")
    for prompt in _PROMPTS:
        send("UserPromptSubmit", prompt=prompt)
    tool("Read", {"file_path": f"{folder}/src/pricing.py"})
    tool("Edit", {"file_path": f"{folder}/src/pricing.py"})
    tool("Bash", {"command": "pytest -q"}, {"stdout": _FAILED, "stderr": "", "exit_code": 1})
    tool("Edit", {"file_path": f"{folder}/src/cache.py"})
    tool("Bash", {"command": "pytest -q"}, {"stdout": "42 passed in 3.09s", "stderr": ""})
    tool("Grep", {"pattern": "error", "path": f"{folder}/logs"}, _LOGS)
    tool("Read", {"file_path": f"{folder}/docs/adr/0007-prices.md"}, _RECORD)
    send("Stop", last_assistant_message="The price is dropped when a rule changes; all tests pass.")


def _searches(project: Recollect) -> None:
    for text in ("slow prices", "who may refund", "kiosk prints nothing", "summer load", "mail waits"):
        hits = project.find(Request(text)).answer.hits
        if hits:
            project.traces.read(hits[0].document.id)
    project.traces.write()


def _servers(gateway: Gateway) -> None:
    gateway.add("bookings", light_entry(BOOKINGS))
    gateway.add("mail", light_entry(MAIL))
    for name in ("bookings", "mail"):
        gateway.refresh(name)


def _change_mail(gateway: Gateway) -> None:
    """The server describes a tool differently after it was accepted, as a poisoned update would."""
    gateway.add("mail", light_entry(CHANGED_MAIL), replace=True)
    gateway.refresh("mail")


def _receipts(gateway: Gateway, now: datetime) -> None:
    chance = Random(7)
    tools = (("bookings", "find_bookings", 5200, 640), ("bookings", "next_sailings", 900, 420),
             ("bookings", "weather", 60, 60), ("mail", "mail_status", 40, 40))  # fmt: skip
    for back in range(28):
        day = (now - timedelta(days=back)).date().isoformat()
        for server, tool, result, reply in tools:
            for _ in range(chance.randint(1, 4)):
                outcome: Outcome = "tool_error" if chance.random() < 0.04 else "ok"
                gateway.database.receipts.record(
                    Receipt(server, tool, outcome, chance.uniform(18, 240), 30, result, reply), day
                )
        use = SpeculationUse("bookings", "next_sailings", 4, 3, 3, 2, 310.0, 90.0)
        gateway.database.speculations.record(use, day)


async def _runs(gateway: Gateway, folder: Path) -> tuple[str, str]:
    """A run that finished, code that became a capability, and a run that waits for an approval."""
    store = open_run_store(gateway, folder)
    runs_by_name = []
    async with local_runs(gateway, folder, store) as runs:
        codes = [code_workflow(code, {}, intent) for intent, code in CODE.items()]
        for document in (CANCELLED_SAILING, *codes, REFUND):
            live = await runs.start(document, "recollect run")
            await runs.wait(live, 60, Terminal(False))
            runs_by_name.append(live.run)
    return runs_by_name[0], runs_by_name[-1]


if __name__ == "__main__":
    story = build(Path(sys.argv[1]))
    print(json.dumps({"folder": str(story.folder), "home": story.env["HOME"]}))  # noqa: T201
