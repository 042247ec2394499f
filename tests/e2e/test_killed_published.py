"""kill -9 while a workflow writes through published servers: files and commits show each write once.

By default a few of the run's events are tried; RECOLLECT_SOAK=10 tries every event.
"""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from tests.e2e.killed_process import KilledRuns
from tests.e2e.published_servers import entries, needs_npm
from tests.e2e.test_killed_runs import SOAK, die_at
from tests.requirements import requirement

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.app.run_calls import RunCaller
from recollect.app.run_store import open_run_store
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.records.json_format import Json, JsonObject

pytestmark = [
    needs_npm,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and killed"),
]
ROWS = 3
EVENTS = range(3, 55) if SOAK >= 10 else (9, 22, 35)


class Repository:
    """A git repository that the servers filesystem and git write to."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder = folder
        (folder / ".claude" / "memory").mkdir(parents=True)
        self.git("init", "-q")
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@example.invalid")
        self.gateway = Gateway(data, {"HOME": str(data)}, utc_now)
        for name in ("filesystem", "git"):
            self.gateway.add(name, entries(folder)[name])
            self.gateway.refresh(name)
            self.gateway.policy.put("allow", f"{name}:*")
        store = open_run_store(self.gateway, folder)
        self.runs = KilledRuns(self.gateway, folder, store, lambda id: self.times(id) > 0)
        self.round = 0

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout

    def workflow(self) -> JsonObject:
        """A read and an edit for each file, and one commit after the other."""
        self.round += 1
        tasks: list[Json] = []
        for row in range(ROWS):
            path = self.file(row)
            path.write_text("# end\n")
            edit: JsonObject = {"oldText": "# end", "newText": f"edit{row}\n# end"}
            tasks += [
                task(f"read{row}", "filesystem:read_text_file", path=str(path)),
                task(
                    f"edit{row}", "filesystem:edit_file", [f"read{row}"], path=str(path), edits=[edit]
                ),
                self._git_task(f"add{row}", [f"edit{row}"], files=[path.name]),
                self._git_task(f"commit{row}", [f"add{row}"], message=f"commit{row} of {self.round}"),
            ]
            if row:  # a commit has what was added before it
                tasks[-2]["after"] += [f"commit{row - 1}"]  # type: ignore[call-overload, index, operator]
        return {"tasks": tasks, "parallel": 4}

    def _git_task(self, id: str, after: list[str], **arguments: Json) -> JsonObject:
        return task(id, f"git:git_{id[:-1]}", after, repo_path=str(self.folder), **arguments)

    def file(self, row: int) -> Path:
        return self.folder / f"file{self.round}_{row}.txt"

    def times(self, id: str) -> int:
        """How often the disk has the effect of a task."""
        kind, row = id[:-1], int(id[-1])
        if kind == "edit":
            return self.file(row).read_text().count(f"edit{row}\n")
        if kind == "commit":
            subjects = self.git("log", "--all", "--format=%s").splitlines()
            return subjects.count(f"commit{row} of {self.round}")
        return 0  # what is added twice is added once

    async def settle(self) -> None:
        """Let the servers end what the killed process left to them: they answer these calls after it."""
        reads = [("filesystem:read_text_file", {"path": str(self.file(0))})] * 10
        async with anyio.create_task_group() as tasks:
            dispatcher = Dispatcher(self.gateway, self.folder, Exposure(), tasks)
            dispatcher.start(prepares=False)
            caller = RunCaller("settle")
            for tool, arguments in (*reads, ("git:git_status", {"repo_path": str(self.folder)})):
                target = await dispatcher.target(tool, caller.client)
                await dispatcher.perform(target, arguments, caller)
            await dispatcher.stop()
            tasks.cancel_scope.cancel()


def task(id: str, tool: str, after: list[str] | None = None, **arguments: Json) -> JsonObject:
    retry: JsonObject = {"attempts": 5, "wait": 0.3}
    return {"id": id, "tool": tool, "arguments": arguments, "after": list(after or ()), "retry": retry}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("data"))


@requirement("workflow:journal:resume")
@pytest.mark.parametrize("number", EVENTS)
def test_no_edit_and_no_commit_is_lost_or_made_twice(repository: Repository, number: int) -> None:
    run = repository.runs.start_and_be_killed(
        repository.workflow(), lambda: die_at(number, after=number % 2 == 0)
    )
    assert run is not None
    anyio.run(repository.settle)

    state = anyio.run(repository.runs.resume, run.id)

    assert {task.status for task in state.tasks.values()} == {"succeeded"}, state.tasks
    writes = [id for id in state.tasks if id.startswith(("edit", "commit"))]
    assert {id: repository.times(id) for id in writes} == dict.fromkeys(writes, 1)
