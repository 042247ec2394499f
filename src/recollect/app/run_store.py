"""Where the runs of a folder are stored: its project's state, or the user's own without a project."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from recollect.app.capabilities import connect_tools, known_capability, learn_capability
from recollect.app.capability_file import import_capability
from recollect.app.episodes import learn_episode
from recollect.app.gateway import Gateway
from recollect.app.guest_key import guest_key
from recollect.app.run_journal import has_redaction, journal_moment, redacted_entry
from recollect.app.settings import config_of_folder
from recollect.app.tool_experience import records_state
from recollect.clock import Clock, to_text
from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.ports import ToolGraphStore, Vault
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.vault.output_form import OutputForm, stored_output
from recollect.learning.ports import CapabilityStore, EpisodeStore
from recollect.records.json_format import Json
from recollect.records.redaction_port import RedactionGate
from recollect.redaction.user_patterns import gate_of
from recollect.workflow.approval_questions import open_questions
from recollect.workflow.calling import ApprovalQuestion
from recollect.workflow.events import JournalEntry
from recollect.workflow.forking import Fork, fork
from recollect.workflow.grants import Grant, check_grant
from recollect.workflow.observed_edges import dependency_pairs
from recollect.workflow.ports import Grants, Journal, RunRecord
from recollect.workflow.reducer import reduced
from recollect.workflow.run_state import RunState
from recollect.workflow.runbook import runbook_of
from recollect.workflow.stored_outputs import restored
from recollect.workflow.task import TaskArguments
from recollect.working.ports import DraftStore

_KEPT_DAYS, _MOST_RUNS = 30, 500  # also of grants that have ended
_EPISODE_DAYS = 180
_SHORTEST = 3  # signs of an id that may stand for it


def new_run_id() -> str:
    """An id that no run has."""
    return f"run-{secrets.token_hex(4)}"


@dataclass(frozen=True, slots=True)
class RunStore:
    """The journal and the grants of one folder, with the gate in front of them."""

    journal: Journal
    grants: Grants
    drafts: DraftStore
    vault: Vault
    gate: RedactionGate
    clock: Clock
    code_key: Callable[[], bytes]
    tool_graph: ToolGraphStore
    capabilities: CapabilityStore
    episodes: EpisodeStore

    def learn(self, state: RunState, tools: Mapping[str, UpstreamTool]) -> None:
        """Store how a run went, keep its code if that worked, and add edges to the tool graph.

        `tools` are those that code can call now. Raises StoreError.
        """
        learn_episode(self.episodes, state, self.now(), self.gate)
        for capability in learn_capability(self.capabilities, state, self.gate, tools):
            connect_tools(self.tool_graph, capability, self.now())
        for source, target in dependency_pairs(state):
            self.tool_graph.observe(source, target, self.now(), "dependency")

    def import_capability(self, text: str) -> tuple[str, bool]:
        """Add a capability from a file; its name here, and whether it is new. Nobody has run it here.

        Raises InvalidError, RefusedError and StoreError.
        """
        name, is_new = import_capability(self.capabilities, text, self.gate)
        if is_new:
            imported = known_capability(self.capabilities, name)
            connect_tools(self.tool_graph, imported, self.now(), "template")
        return name, is_new

    def now(self) -> str:
        """This moment."""
        return to_text(self.clock())

    def prune(self) -> int:
        """Delete what is past its retention; says how many runs."""
        self.episodes.prune(to_text(self.clock() - timedelta(days=_EPISODE_DAYS)))
        oldest = to_text(self.clock() - timedelta(days=_KEPT_DAYS))
        self.grants.prune(oldest)
        return self.journal.prune(oldest, _MOST_RUNS)

    def record(self, run: str) -> RunRecord:
        """A run by its id or the beginning of it. Raises NotFoundError."""
        exact = self.journal.get(run)
        if exact is not None:
            return exact
        matching = [
            record for record in self.journal.runs(_MOST_RUNS * 10) if record.id.startswith(run)
        ]
        if len(matching) == 1 and len(run) >= _SHORTEST:
            return matching[0]
        raise NotFoundError(f"there is no run {run!r}; `recollect run list` shows them.")

    def state(self, run: str) -> RunState:
        """A run as its journal has it. Raises NotFoundError."""
        return reduced([entry.event for entry in self.entries(self.record(run).id)])

    def questions(self, run: str) -> tuple[RunState, list[ApprovalQuestion]]:
        """A run, and the calls of it that wait for a person. Raises NotFoundError."""
        happened = [entry.event for entry in self.entries(self.record(run).id)]
        state = reduced(happened)
        return state, open_questions(state, happened)

    def grant(
        self, tool: str, arguments: Mapping[str, str], uses: int, minutes: float, by: str
    ) -> Grant:
        """A person approves calls beforehand. Raises RefusedError for a grant without bounds."""
        try:
            expires = to_text(self.clock() + timedelta(minutes=minutes))
        except (OverflowError, ValueError):
            raise RefusedError(f"a grant cannot last {minutes} minutes; use fewer.") from None
        grant = Grant(f"grant-{secrets.token_hex(4)}", tool, arguments, uses, expires, by)
        check_grant(grant, self.now())
        self.grants.add(grant)
        return grant

    def fork(self, run: str, at: int | None, changes: TaskArguments) -> tuple[str, Fork]:
        """Make a run of another; its id. Raises NotFoundError, RefusedError and StoreError."""
        record = self.record(run)
        entries = self.entries(record.id)
        made = fork(record.id, entries, at or len(entries), changes)
        id = new_run_id()
        stored = [
            redacted_entry(JournalEntry(number, journal_moment(self.clock()), event), self.gate)
            for number, event in enumerate(made.events, 1)
        ]
        self.journal.begin(id, record.intent, stored[0])
        self.journal.append(id, stored[1:], "running")
        return id, made

    def draft_runbook(self, run: str) -> str:
        """Draft a runbook of a run that was made to work after a failure; its name, or empty."""
        document = runbook_of(run, [entry.event for entry in self.entries(run)])
        return self.drafts.put(f"{run}-runbook", dict(document)) if document is not None else ""

    def entries(self, run: str) -> list[JournalEntry]:
        """Every event of a run, with the outputs that the vault has."""
        return restored(self.journal.entries(run), self._output)

    def _output(self, handle: str, form: OutputForm) -> tuple[Json, bool]:
        parts = [stored.part for stored in self.vault.get(handle).parts]
        output = stored_output(parts, form)
        return output, has_redaction(output)


def open_run_store(gateway: Gateway, folder: Path) -> RunStore:
    """The store for runs from a folder. Raises StoreError and InvalidConfigError."""
    state = records_state(gateway, folder)
    state.prepare()
    opened = state.open()
    gate = gate_of(config_of_folder(folder, env=gateway.env).redaction)
    key = partial(guest_key, gateway.folder)
    stores = (opened.journal, opened.grants, state.drafts(gate), state.vault())
    learned = (opened.tool_graph, opened.capabilities, opened.episodes)
    return RunStore(*stores, gate, gateway.now, key, *learned)
