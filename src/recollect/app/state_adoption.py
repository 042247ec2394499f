"""What a project did and learned on this machine before it had a team's database, brought into that once.

Sequences of calls teach the next tool, and the tool graph is learned again from calls; grants expire anyway.
"""

from contextlib import suppress
from dataclasses import replace
from itertools import count

from recollect.app.stores import StateStores
from recollect.errors import LockedError
from recollect.learning import retention
from recollect.learning.ports import CapabilityStore
from recollect.workflow.ports import Journal

_MOST_RUNS = 500


def adopt_state(local: StateStores, target: StateStores) -> None:
    """Copy runs, episodes, capabilities, thresholds and sequences. A run that goes on here stays out.

    What the database has already is not copied again. Raises StoreError.
    """
    for record in reversed(local.journal.runs(_MOST_RUNS)):
        with suppress(LockedError), local.journal.lease(record.id):
            _copy_run(record.id, local.journal, target.journal)
    known = set(target.episodes.latest(retention.MAX_EPISODES))
    for episode in reversed(local.episodes.latest(retention.MAX_EPISODES)):
        if episode not in known:
            target.episodes.add(episode)
    _copy_capabilities(local.capabilities, target.capabilities)
    for threshold in local.thresholds.all():
        if target.thresholds.get(threshold.kind) is None:
            target.thresholds.put(threshold)
    sequences = local.sequences.latest(retention.MAX_CALLS, retention.MAX_CALLS)
    calls = [(f"earlier {n}", tool) for n, tools in enumerate(sequences) for tool in tools]
    if calls and not target.sequences.latest(1, 1):
        target.sequences.add(calls)


def _copy_run(run: str, local: Journal, target: Journal) -> None:
    """Copy the events that are missing, so that a copy that was interrupted goes on."""
    record, stored = local.get(run), target.get(run)
    entries = local.entries(run)
    if record is None or not entries:
        return
    if stored is None:
        target.begin(run, record.intent, entries[0])
    missing = entries[stored.events if stored else 1 :]
    target.append(run, missing, record.status)
    for command in local.waiting(run):
        target.send(run, command, record.changed_at)


def _copy_capabilities(local: CapabilityStore, target: CapabilityStore) -> None:
    """Copy code that is new there; a name that is taken gets a number."""
    stored = target.all()
    names, digests = {each.name for each in stored}, {each.digest for each in stored}
    for capability in local.all():
        if capability.digest in digests:
            continue
        numbered = (f"{capability.name}-{number}" for number in count(2))
        name = (
            capability.name
            if capability.name not in names
            else next(other for other in numbered if other not in names)
        )
        names.add(name)
        target.put(replace(capability, name=name))
