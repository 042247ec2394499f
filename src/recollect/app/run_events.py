"""The events of a run as they come, for any number of listeners.

A listener reads the journal page by page, at its own speed. One that is slow, or that never reads, keeps one
page in memory and delays nobody; one that was away reads on from the last event it had.
"""

from collections.abc import AsyncIterator, Callable

import anyio
from anyio import to_thread

from recollect.workflow.events import JournalEntry, RunFinished
from recollect.workflow.ports import Journal

PAGE = 64  # events that a listener has in memory
_POLL = 0.25  # seconds between looks at a run of another process


async def run_events(
    journal: Journal, run: str, after: int, written: Callable[[], anyio.Event | None]
) -> AsyncIterator[JournalEntry]:
    """The events with numbers above `after`, until the run has finished.

    `written` gives what is set when the journal has more of a run of this process; None for another's.
    """
    while True:
        more = written()
        page = await to_thread.run_sync(journal.entries, run, after, PAGE)
        for entry in page:
            yield entry
            after = entry.number
            if isinstance(entry.event, RunFinished):
                return
        if len(page) < PAGE:
            with anyio.move_on_after(_POLL):
                await (anyio.sleep_forever() if more is None else more.wait())
