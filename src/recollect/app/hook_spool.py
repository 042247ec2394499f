"""What hooks recorded on this machine, brought into a team's database by the next command or server here.

The first time, what the project did and learned here before it had the database comes along.

Hooks load the standard library alone and wait for nobody, so they go on writing to SQLite and files in the
state folder. Sessions are copied, because hooks still read them; drafts are moved. What a hook needs to know
in turn comes back: which memory is a session's summary, and which fix the errors it has seen.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recollect.app.state_adoption import adopt_state
from recollect.app.state_source import StateSource
from recollect.app.stores import StateStores
from recollect.errors import LockedError
from recollect.learning.trace import CandidateTrace, ScoredCandidate, Scoring
from recollect.paths import read_plain
from recollect.records.redaction_port import RedactionGate
from recollect.storage.files import atomic
from recollect.storage.files.lock import exclusive
from recollect.values import replaced
from recollect.working.ports import DraftStore
from recollect.working.recorder import SESSIONS_KEPT
from recollect.working.session import Faded, Item, Provenance
from recollect.working.view import Left

RECORD_NAME, _LOCK_NAME = "brought-in.json", "brought-in.lock"
_MOST_BYTES = 1_000_000
_MOST_TRACES = 1_000


@dataclass(slots=True)
class _Record:
    """What has been brought in so far. A record that cannot be read brings everything in again."""

    version: list[int] = field(default_factory=list)
    sessions: dict[str, list[int]] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)
    last_trace: str = ""


@dataclass(frozen=True, slots=True)
class HookSpool:
    """The state folder of a project whose truth is in a database."""

    local: StateSource
    folder: Path

    def bring_in(self, target: StateStores) -> None:
        """Copy what is new of sessions. Another process that does so is not waited for. Raises StoreError."""
        if not self.local.exists() or self.local.is_foreign():
            return
        if self._read().version == list(self.local.versions().sessions):
            return
        with suppress(LockedError), exclusive(self.folder / _LOCK_NAME, wait=0.0):
            self._bring_in(target)

    def bring_in_drafts(self, target: DraftStore, gate: RedactionGate) -> None:
        """Move the drafts of hooks to where people review them. Raises StoreError."""
        local = self.local.drafts(gate)
        for draft in local.all():
            target.put(draft.name, draft.document)
            local.drop(draft.name)

    def _bring_in(self, target: StateStores) -> None:
        record, version = self._read(), list(self.local.versions().sessions)
        stores = self.local.open()
        try:
            for session in reversed(stores.sessions.latest(SESSIONS_KEPT)):
                self._copy_session(session.id, stores, target, record)
            _count_rules(stores, target, record)
            _copy_traces(stores, target, record)
            if not record.version:
                adopt_state(stores, target)
        finally:
            stores.close()
        record.version = version
        self._write(record)

    def _copy_session(self, id: str, local: StateStores, target: StateStores, record: _Record) -> None:
        mark = _mark(id, local)
        before = record.sessions.get(id)
        if before == mark:
            return
        state, memory = local.sessions.state(id), local.sessions.memory(id)
        left = _new_left(local.sessions.left(id), before[1] if before else -1)
        with target.transaction():
            stored = target.sessions.state(id)
            summary = state.summary_memory or stored.summary_memory
            target.sessions.save_state(replaced(state, summary_memory=summary))
            target.sessions.save_memory(id, memory, left)
            target.injections.save(local.injections.of_session(id))
            for action in local.history.actions(id):
                target.history.save_action(id, action)
            for failure in local.history.failures(id):
                target.history.save_failure(failure)
                for fix in local.history.fixes(failure.fingerprint):
                    target.history.add_fix(failure.fingerprint, fix)
        with local.transaction():
            if summary != state.summary_memory:
                local.sessions.save_state(replaced(local.sessions.state(id), summary_memory=summary))
            for failure in local.history.failures(id):
                for fix in target.history.fixes(failure.fingerprint):
                    local.history.add_fix(failure.fingerprint, fix)
        record.sessions[id] = mark

    def _read(self) -> _Record:
        try:
            content: Any = json.loads(read_plain(str(self.folder / RECORD_NAME), _MOST_BYTES))
            return _Record(**content)
        except (OSError, ValueError, TypeError):
            return _Record()

    def _write(self, record: _Record) -> None:
        known = dict(list(record.sessions.items())[-2 * SESSIONS_KEPT :])
        content = {
            "version": record.version,
            "sessions": known,
            "rules": record.rules,
            "last_trace": record.last_trace,
        }
        data = json.dumps(content).encode()
        path = self.folder / RECORD_NAME
        atomic.write(path, data, str(path), private=True)


def _mark(id: str, local: StateStores) -> list[int]:
    """Numbers of a session that move with each of its events and uses."""
    state, memory = local.sessions.state(id), local.sessions.memory(id)
    injections = local.injections.of_session(id)
    mentions = sum(item.mentions for item in memory.items)
    used = sum(injection.used is not None for injection in injections)
    facts = len(state.goal), len(state.summary_memory)
    return [state.events, memory.event, mentions, len(injections), used, *facts]


def _new_left(left: Sequence[Left], after: int) -> list[Faded]:
    """What left the working memory since an event, the oldest first."""
    new = [each for each in reversed(left) if each.event > after]
    return [Faded(_gone_item(each), each.reason, each.event) for each in new]


def _gone_item(left: Left) -> Item:
    return Item(left.content, 0.0, 0, Provenance("", "", left.event), kind=left.kind)


def _count_rules(local: StateStores, target: StateStores, record: _Record) -> None:
    for count in local.sessions.rule_counts():
        for _ in range(count.matched - record.rules.get(count.rule, 0)):
            target.sessions.count_rule(count.rule, count.last_at)
        record.rules[count.rule] = count.matched


def _copy_traces(local: StateStores, target: StateStores, record: _Record) -> None:
    """Add the scorings of the gate since the last time; their outcomes are found again in the database."""
    new: list[CandidateTrace] = []
    for trace in local.traces.latest(_MOST_TRACES, "gate"):
        if trace.scoring == record.last_trace:
            break
        new.append(trace)
    if not record.last_trace:  # the record may be new although the traces are not
        new = [trace for trace in new if not target.traces.of_scoring(trace.scoring)]
    if new:
        target.traces.add([_scoring(trace) for trace in reversed(new)], new[0].at)
        record.last_trace = new[0].scoring


def _scoring(trace: CandidateTrace) -> Scoring:
    candidate = ScoredCandidate(trace.candidate, trace.signals, trace.score, trace.decision)
    return Scoring(
        trace.scoring,
        trace.at,
        trace.kind,
        trace.context,
        trace.params,
        (candidate,),
        trace.threshold,
        trace.milliseconds,
        trace.session,
    )
