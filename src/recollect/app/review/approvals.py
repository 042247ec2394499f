"""Calls of runs that wait for a person: to be approved, or, when a write is in doubt, to be repeated."""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.app.gateway import Gateway
from recollect.app.review.source import ReviewAct, ReviewDecision, ReviewItem, ReviewOutcome
from recollect.app.run_store import RunStore
from recollect.errors import InvalidError, NotFoundError, NotPermittedError
from recollect.records.display import one_line, safe_text
from recollect.records.json_format import JsonObject
from recollect.redaction.redact import redact
from recollect.workflow.approval_summary import approval_summary
from recollect.workflow.calling import ApprovalQuestion
from recollect.workflow.commands import Command, CommandName
from recollect.workflow.run_state import RunState, TaskRun

_MOST = 50  # runs that are looked at, the last changed first
_OPEN = ("running", "paused")
_DECISIONS = ("approve", "reject")
_IN_DOUBT = "in_doubt"  # in place of the name of an approval
_ARGUMENTS = 1_600  # characters that are shown


@dataclass(frozen=True, slots=True)
class ApprovalReview:
    """Calls that wait. `refusal` says why whoever decides is no person; empty for one.

    `open_store` opens the journal; None where no run ever was. `door` is what the journal says about where
    the decision was made.
    """

    open_store: Callable[[], RunStore | None]
    gateway: Gateway
    refusal: str = ""
    door: str = "review"
    kind: str = "approval"

    def items(self) -> Sequence[ReviewItem]:
        store = self.open_store()
        if store is None:
            return []
        runs = [record.id for record in store.journal.runs(_MOST) if record.status in _OPEN]
        return [item for run in runs for item in self._of_run(store, run)]

    def find(self, id: str) -> ReviewItem | None:
        run, _, _ = id.partition(" ")
        store = self.open_store()
        try:
            items = self._of_run(store, run) if store else []
        except NotFoundError:
            return None
        return next((item for item in items if item.id == id), None)

    def of_task(self, run: str, task: str) -> ReviewItem | None:
        """What a task of a run waits with; None when it waits for no person. Raises NotFoundError."""
        store = self.open_store()
        items = self._of_run(store, run) if store else []
        return next((item for item in items if item.id.split(" ")[1] == task), None)

    def _of_run(self, store: RunStore, run: str) -> list[ReviewItem]:
        state, questions = store.questions(run)
        doubtful = [state.tasks[id] for id in state.having("in_doubt")]
        items = [
            *(self._question(run, state, question) for question in questions),
            *(self._doubt(run, state, task) for task in doubtful),
        ]
        decided = {
            _item_id(run, sent) for sent in store.journal.waiting(run) if sent.name in _DECISIONS
        }
        return [item for item in items if item.id not in decided]

    def _question(self, run: str, state: RunState, question: ApprovalQuestion) -> ReviewItem:
        server, _, name = question.tool.partition(":")
        summary = approval_summary(state, question, self.gateway.catalogue.tool(server, name))
        return self._item(
            f"{run} {question.task} {question.approval}",
            f"{question.tool} in {run}",
            f"the run {state.workflow.intent!r} is waiting for your approval of this call",
            {"keep": "approve the call", "drop": "reject the call"},
            summary.splitlines(),
        )

    def _doubt(self, run: str, state: RunState, task: TaskRun) -> ReviewItem:
        arguments = one_line(json.dumps(task.arguments, ensure_ascii=False))[:_ARGUMENTS]
        lines = (
            f"Arguments: {arguments}",
            f"If it happened: `recollect run answer {run} --task {task.task.id} --output JSON`.",
        )
        return self._item(
            f"{run} {task.task.id} {_IN_DOUBT}",
            f"{task.task.tool} in {run}",
            f"a write of the run {state.workflow.intent!r} started, and its outcome is unknown",
            {"keep": "repeat the call", "drop": "give up the call"},
            [safe_text(redact(line)[0]) for line in lines],
        )

    def _item(
        self, id: str, title: str, reason: str, acts: dict[ReviewAct, str], details: Sequence[str]
    ) -> ReviewItem:
        refused = [self.refusal] if self.refusal else []
        asks: frozenset[ReviewAct] = frozenset({"keep", "drop"})
        offered: dict[ReviewAct, str] = {} if self.refusal else acts
        return ReviewItem(self.kind, id, title, reason, offered, (*details, *refused), asks=asks)

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if self.refusal:
            raise NotPermittedError(self.refusal)
        store = self.open_store()
        if store is None:
            raise NotFoundError(f"{item.id!r} is no longer waiting: its run is gone.")
        run, task, approval = item.id.split(" ")
        is_approved = decision.act == "keep"
        arguments: JsonObject = {"task": task}
        if approval != _IN_DOUBT:
            arguments["approval"] = approval
        name: CommandName = "approve" if is_approved else "reject"
        word = "Approved" if is_approved else "Rejected"
        command = Command(secrets.token_hex(8), name, arguments, "person", self.door)
        store.journal.send(run, command, store.now())
        text = f"{word} {item.title}; if no process is running it, `recollect run resume {run}` continues it."
        return ReviewOutcome(text, command=command.id)

    def undo(self, data: JsonObject) -> None:  # noqa: ARG002 - no act gives any
        raise InvalidError("an approval cannot be undone; `recollect run abort` ends its run.")


def _item_id(run: str, sent: Command) -> str:
    """The item that a command decided about, which its run has not seen yet."""
    return f"{run} {sent.arguments.get('task')} {sent.arguments.get('approval') or _IN_DOUBT}"
