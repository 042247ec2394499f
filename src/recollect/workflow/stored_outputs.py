"""Outputs that the journal does not have itself: the vault has them, or they follow from other outputs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from recollect.errors import NotFoundError
from recollect.gateway.vault.output_form import OutputForm
from recollect.records.json_format import Json
from recollect.workflow.events import JournalEntry, RunEvent, TaskSucceeded

ReadOutput: TypeAlias = Callable[[str, OutputForm], tuple[Json, bool]]


def journaled(event: RunEvent) -> RunEvent:
    """The event as the journal has it: without an output that the vault or the items of a list have."""
    match event:
        case TaskSucceeded(source="items") | TaskSucceeded(stored_as="value" | "result" | "text"):
            return replace(event, output=None)
        case _:
            return event


def restored(entries: Sequence[JournalEntry], read: ReadOutput) -> list[JournalEntry]:
    """The entries with the outputs that the vault has; one that has expired stays null.

    `read` gives the output of a handle and whether a secret was removed from it. It raises NotFoundError.
    """
    return [_restored(entry, read) for entry in entries]


def _restored(entry: JournalEntry, read: ReadOutput) -> JournalEntry:
    event = entry.event
    if not isinstance(event, TaskSucceeded) or not event.stored_as or event.output is not None:
        return entry
    try:
        output, lacks_secret = read(event.handle, event.stored_as)
    except NotFoundError:
        return entry
    redacted = (*entry.redacted, "output") if lacks_secret else entry.redacted
    return replace(entry, event=replace(event, output=output), redacted=redacted)
