"""Calls of runs that wait for a person's approval."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.app.run_store import RunStore, open_run_store
from recollect.errors import InvalidError, NotPermittedError
from recollect.paths import STATE_NAME
from recollect.records.json_format import JsonObject
from recollect.workflow.approval_summary import approval_summary
from recollect.workflow.commands import Command
from recollect.workflow.ports import RunRecord

_MOST = 50  # runs that are looked at, the last changed first
_OPEN = ("running", "paused")


@dataclass(frozen=True, slots=True)
class ApprovalReview:
    """Calls that wait. `refusal` says why whoever decides is no person; empty for one."""

    recollect: Recollect
    gateway: Gateway
    refusal: str = ""
    kind: str = "approval"

    def items(self) -> Sequence[ReviewItem]:
        if not (self.recollect.state_folder / STATE_NAME).exists():
            return []  # no run was ever here
        store = self._store()
        records = [record for record in store.journal.runs(_MOST) if record.status in _OPEN]
        return [item for record in records for item in self._items(store, record)]

    def _store(self) -> RunStore:
        return open_run_store(self.gateway, self.recollect.folder)

    def _items(self, store: RunStore, record: RunRecord) -> list[ReviewItem]:
        state, questions = store.questions(record.id)
        if not questions:
            return []
        tools = {tool.id: tool for tool in self.gateway.catalogue.tools()}
        return [
            ReviewItem(
                self.kind,
                f"{record.id} {question.task} {question.approval}",
                f"{question.tool} in {record.id}",
                f"the run {record.intent!r} is waiting for your approval of this call",
                {} if self.refusal else {"keep": "approve the call", "drop": "reject the call"},
                (
                    *approval_summary(state, question, tools.get(question.tool)).splitlines(),
                    *([self.refusal] if self.refusal else []),
                ),
                asks=frozenset({"keep", "drop"}),
            )
            for question in questions
        ]

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if self.refusal:
            raise NotPermittedError(self.refusal)
        run, task, approval = item.id.split(" ")
        is_approved = decision.act == "keep"
        arguments: JsonObject = {"task": task, "approval": approval}
        store = self._store()
        command = Command(
            secrets.token_hex(8), "approve" if is_approved else "reject", arguments, "person", "review"
        )
        store.journal.send(run, command, store.now())
        word = "Approved" if is_approved else "Rejected"
        return ReviewOutcome(
            f"{word} {item.title}; if no process is running it, `recollect run resume {run}` "
            "continues it."
        )

    def undo(self, data: JsonObject) -> None:  # noqa: ARG002 - no act gives any
        raise InvalidError("an approval cannot be undone; `recollect run abort` ends its run.")
