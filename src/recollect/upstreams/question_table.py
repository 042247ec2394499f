"""The requests of one server to its clients: who has which, and under which id."""

from dataclasses import dataclass

from recollect.upstreams.call_table import LeaseId
from recollect.upstreams.jsonrpc import RequestId


@dataclass(frozen=True, slots=True)
class Question:
    """A request of the server that a client has."""

    lease: LeaseId
    id: RequestId  # the server's


class QuestionTable:
    """Open questions by the number that the client knows: a restarted server uses its own ids again."""

    def __init__(self) -> None:
        self._last = 0
        self._open: dict[int, Question] = {}

    def __len__(self) -> int:
        return len(self._open)

    def add(self, question: Question) -> int:
        """Record a question; its number."""
        self._last += 1
        self._open[self._last] = question
        return self._last

    def has_any(self, lease: LeaseId) -> bool:
        """Whether a client has a question to answer."""
        return any(question.lease == lease for question in self._open.values())

    def answered(self, lease: LeaseId, number: int | None) -> Question | None:
        """Forget a question that a client answers; None if it is not that client's."""
        question = None if number is None else self._open.get(number)
        if number is None or question is None or question.lease != lease:
            return None
        return self._open.pop(number)

    def withdrawn(self, id: object) -> tuple[int, Question] | None:
        """Forget a question that the server withdraws."""
        for number, question in self._open.items():
            if question.id == id:
                return number, self._open.pop(number)
        return None

    def leave(self, lease: LeaseId) -> list[Question]:
        """Forget the questions of a client."""
        gone = [number for number, question in self._open.items() if question.lease == lease]
        return [self._open.pop(number) for number in gone]

    def take_all(self) -> list[tuple[int, Question]]:
        """Forget every question, because the server has ended."""
        questions = list(self._open.items())
        self._open.clear()
        return questions
