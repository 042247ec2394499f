"""Past sessions of a project: searched by themselves, and deleted when a person says so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recollect.paths import STATE_NAME
from recollect.storage.sqlite.state import StateDatabase
from recollect.text.stemming import stems
from recollect.text.tokens import STOP_WORDS, tokens
from recollect.working.past_sessions import PastHits, PastSessionStore

_LONGEST_QUERY = 10_000  # characters


@dataclass(frozen=True, slots=True)
class PastSessions:
    """What transcripts of this machine say. It stays on this machine, wherever a team stores the rest."""

    folder: Path  # the state folder
    prepare: Callable[[], object]

    def search(self, query: str, limit: int, offset: int = 0) -> PastHits:
        """What was said and done in past sessions that were imported, best match first."""
        words = tokens(query[:_LONGEST_QUERY])
        subject = [word for word in words if word not in STOP_WORDS] or words
        with self.opened() as past:
            if past is None:
                return PastHits((), 0)
            return past.search(list(dict.fromkeys(stems(subject))), limit, offset)

    def prune(self, before: str) -> int:
        """Delete past sessions that ended before a moment; how many. No later import brings them back."""
        with self.opened() as past:
            return past.prune(before=before) if past else 0

    @contextmanager
    def opened(self, *, make: bool = False) -> Iterator[PastSessionStore | None]:
        """The store; None where there is no database yet, unless it is to be made."""
        path = self.folder / STATE_NAME
        if make:
            self.prepare()
        elif not path.exists():
            yield None
            return
        database = StateDatabase(str(path))
        try:
            yield database.past_sessions
        finally:
            database.close()
