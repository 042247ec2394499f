"""Who approves the calls of a run: a grant, or the person behind a client that asks one."""

from anyio import to_thread

from recollect.app.dispatch import Dispatcher
from recollect.app.run_calls import RunCaller
from recollect.app.run_store import RunStore
from recollect.app.tool_approval import ask_person
from recollect.errors import NotPermittedError, StoreError
from recollect.records.json_format import JsonObject
from recollect.workflow import events
from recollect.workflow.approval_summary import approval_summary
from recollect.workflow.calling import ApprovalQuestion, Consent, NoConsent
from recollect.workflow.run_state import RunState


class RunApprovals:
    """The approvals of one run. Only a client that the user named is taken to ask a person.

    `reads_agreed`: a person agreed beforehand to calls that only read by their accepted annotation.
    """

    def __init__(
        self,
        store: RunStore,
        caller: RunCaller,
        dispatcher: Dispatcher,
        *,
        asks_person: bool,
        reads_agreed: bool,
    ) -> None:
        self._store, self._caller, self._dispatcher = store, caller, dispatcher
        self._asks_person, self._reads_agreed = asks_person, reads_agreed

    async def consent(
        self, tool: str, effect: events.CallEffect, arguments: JsonObject
    ) -> Consent | NoConsent:
        if effect == "read" and self._reads_agreed:
            return Consent("person, --yes-read-only")
        return await to_thread.run_sync(self._granted, tool, arguments)

    def _granted(self, tool: str, arguments: JsonObject) -> Consent | NoConsent:
        now, refusals = self._store.now(), list[str]()
        try:
            for grant in self._store.grants.of(tool):
                refusal = grant.refusal(arguments, now)
                if not refusal and self._store.grants.use(grant.id, now):
                    return Consent("a grant", grant.id)
                refusals.append(refusal or f"the grant {grant.id} has no uses left")
        except StoreError as error:
            refusals.append(f"grants cannot be read ({error})")
        return NoConsent(refusals)

    async def answer(self, question: ApprovalQuestion, state: RunState) -> bool | None:
        if not self._asks_person or self._caller.current is None:
            return None
        target = await self._dispatcher.target(question.tool, self._caller.client)
        summary = approval_summary(state, question, target.tool)
        try:
            return await ask_person(summary, self._caller)
        except NotPermittedError:
            return None  # the client cannot ask after all
