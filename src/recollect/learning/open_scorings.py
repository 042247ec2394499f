"""Scorings whose outcome is not known yet: a later choice decides it."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from recollect.learning.trace import Outcome

MOST_OPEN = 8  # scorings of one session; a choice belongs to the newest that has the candidate
_MOST_SESSIONS = 200
_MOST_DROPPED = 1_000


@dataclass(frozen=True, slots=True)
class Attachment:
    """An outcome of a scoring. Its other candidates were ignored, if they have no outcome yet."""

    scoring: str
    candidate: str
    outcome: Outcome


@dataclass(slots=True)
class OpenScorings:
    """The last scorings of each session, with the names of their candidates."""

    _sessions: dict[str, deque[tuple[str, frozenset[str]]]] = field(default_factory=dict)
    _dropped: list[str] = field(default_factory=list)

    def add(self, session: str, scoring: str, candidates: Iterable[str]) -> None:
        """A scoring was made. The oldest of the session, and the oldest session, make room."""
        known = self._sessions.pop(session, None) or deque(maxlen=MOST_OPEN)
        if len(known) == MOST_OPEN:
            self._dropped.append(known[0][0])
        known.append((scoring, frozenset(candidates)))
        self._sessions[session] = known
        if len(self._sessions) > _MOST_SESSIONS:
            oldest = self._sessions.pop(next(iter(self._sessions)))
            self._dropped += [scoring for scoring, _ in oldest]
        del self._dropped[:-_MOST_DROPPED]

    def choose(self, session: str, candidate: str, outcome: Outcome) -> Attachment | None:
        """The scoring that a choice decides; None if no open one has the candidate."""
        for scoring, candidates in reversed(self._sessions.get(session, ())):
            if candidate in candidates:
                return Attachment(scoring, candidate, outcome)
        return None

    def dropped(self) -> list[str]:
        """The scorings that made room since the last time. Candidates without a choice were ignored."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def end(self) -> Iterator[str]:
        """The scorings that are still open when everything ends. Candidates without a choice were ignored."""
        for scorings in self._sessions.values():
            yield from (scoring for scoring, _ in scorings)
        self._sessions.clear()
