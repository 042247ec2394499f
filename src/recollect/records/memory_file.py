"""A memory's file: its bytes, read and checked, wherever they are stored. Pure."""

import hashlib

from recollect.errors import InvalidError, InvalidJsonError, InvalidMemoryError, Problem
from recollect.records.categories import Category
from recollect.records.json_format import line_of, parse
from recollect.records.record import Memory
from recollect.records.store import Broken, Stored


def read_memory(data: bytes, category: Category, stem: str, shown: str) -> Stored:
    """The memory in a file of a category's folder. Raises InvalidError when it is none, or another's."""
    document = parse(data, shown)
    try:
        memory = Memory.parse(document, shown)
        _check_place(memory, category, stem, shown)
    except InvalidMemoryError as error:
        raise _WithLineError(error, data) from None
    return Stored(memory, shown, digest(data))


def digest(data: bytes) -> str:
    """What names a version of a file."""
    return hashlib.sha256(data).hexdigest()


def broken(path: str, error: InvalidError) -> Broken:
    """The report of a file that is no valid memory."""
    match error:
        case InvalidJsonError():
            return Broken(path, error.reason, error.line)
        case InvalidMemoryError():
            reason = "; ".join(str(problem) for problem in error.problems)
            return Broken(path, reason, getattr(error, "line", None))
        case _:
            return Broken(path, str(error))


class _WithLineError(InvalidMemoryError):
    """An invalid memory whose first problem's line is known."""

    def __init__(self, error: InvalidMemoryError, data: bytes) -> None:
        super().__init__(error.where, error.problems)
        self.line = line_of(data.decode("utf-8-sig"), error.problems[0].field)


def _check_place(memory: Memory, category: Category, stem: str, shown: str) -> None:
    """Raise InvalidMemoryError unless the folder is its category's and the file is named after its id."""
    problems = []
    if memory.id != stem:
        problems.append(Problem("id", f"is {memory.id!r} but the file is {stem}.json; rename one"))
    if memory.category is not category:
        folder = memory.category.folder
        problems.append(Problem("category", f"is {memory.category!s}; move the file to {folder}/"))
    if problems:
        raise InvalidMemoryError(shown, problems)
