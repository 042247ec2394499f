"""Files of record format 1.x, as claude-memory and Recollect write them: imported unchanged."""

import posixpath

from recollect.errors import InvalidJsonError, InvalidMemoryError
from recollect.importing.incoming import Incoming, Skipped
from recollect.records.categories import Category
from recollect.records.json_format import line_of, parse
from recollect.records.record import Memory


def read(data: bytes, origin: str, category: Category) -> Incoming | Skipped:
    """Parse one file of the folder of `category`. An invalid one is skipped with its line and the reason."""
    try:
        document = parse(data, origin)
        memory = Memory.parse(document, origin)
    except InvalidJsonError as error:
        return Skipped(origin, _with_line(error.reason, error.line))
    except InvalidMemoryError as error:
        line = line_of(data.decode("utf-8-sig"), error.problems[0].field)
        reason = "; ".join(str(problem) for problem in error.problems)
        return Skipped(origin, _with_line(reason, line))
    return Incoming(origin, memory, tuple(_notes(memory, origin, category)))


def _with_line(reason: str, line: int | None) -> str:
    return f"line {line}: {reason}" if line else reason


def _notes(memory: Memory, origin: str, category: Category) -> list[str]:
    notes = []
    if posixpath.basename(origin) != f"{memory.id}.json":
        notes.append(f"its id is {memory.id!r}, so its file will be {memory.id}.json")
    if memory.category is not category:
        notes.append(f"found in the folder of {category.value}, but it is a {memory.category.value}")
    return notes
