"""Gzip-compressed JSON lines, one object per line. Errors name the file and the line."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidError, NotFoundError

MOST_GRADE = 30  # 2^grade is a gain: beyond a billion nothing else would count beside it


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One object of a file, with typed access to its fields. Raises InvalidError for another type."""

    path: Path
    number: int
    row: dict[str, Any]

    def wrong(self, what: str) -> InvalidError:
        """An error about this line."""
        return InvalidError(f"{str(self.path)!r}, line {self.number}: {what}.")

    def name(self, field: str) -> str:
        """An id: text that is not empty, or a whole number taken as text."""
        value = self.row.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value or not _is_encodable(value):
            raise self._unlike(field, "an id", "text or a whole number")
        return value

    def name_or_none(self, field: str) -> str | None:
        """An optional id; None if it is missing or empty."""
        return None if self.row.get(field) in (None, "") else self.name(field)

    def text(self, field: str) -> str:
        """A text, which may be empty."""
        value = self.row.get(field)
        if not isinstance(value, str):
            raise self._unlike(field, "a text", "a string, which may be empty")
        return value

    def text_or_empty(self, field: str) -> str:
        """An optional text."""
        return "" if self.row.get(field) is None else self.text(field)

    def texts(self, field: str) -> list[str]:
        """A list of texts."""
        values = self.row.get(field)
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self._unlike(field, "texts", "a list of strings")
        return values

    def flag(self, field: str) -> bool:
        """Whether something is so."""
        if field not in self.row:
            raise self._unlike(field, "a flag", "true or false")
        return bool(self.row[field])

    def grade(self, field: str) -> int:
        """A whole number."""
        number = _whole(self.row.get(field))
        if number is None or number > MOST_GRADE:
            raise self._unlike(field, "a grade", f"a whole number up to {MOST_GRADE}")
        return number

    def _unlike(self, field: str, kind: str, wanted: str) -> InvalidError:
        if field not in self.row:
            return self.wrong(f"{field!r} is missing; it must be {kind}: {wanted}")
        return self.wrong(f"{field!r} is {_short(self.row[field])}; make it {kind}: {wanted}")


def read(path: Path) -> Iterator[JsonLine]:
    """The lines of a file. Raises NotFoundError or InvalidError, which name it."""
    number = 0
    try:
        with gzip.open(path, "rb") as lines:
            for number, data in enumerate(lines, start=1):
                yield JsonLine(path, number, _object(path, number, data))
    except FileNotFoundError:
        raise NotFoundError(f"there is no {str(path)!r}; --data names the folder of one set.") from None
    except (OSError, EOFError, zlib.error) as error:
        place = f" after line {number}" if number else ""
        raise InvalidError(
            f"{str(path)!r} cannot be read{place}: {error}; is it a complete gzip file? Create it again."
        ) from None


def _object(path: Path, number: int, data: bytes) -> dict[str, Any]:
    where = f"{str(path)!r}, line {number}"
    try:
        value = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidError(f"{where} is not UTF-8: {error}; write the file in UTF-8.") from None
    except ValueError as error:
        raise InvalidError(f"{where} is not valid JSON: {error}; correct the line.") from None
    except RecursionError:
        raise InvalidError(f"{where} is nested too deeply; correct the line.") from None
    if not isinstance(value, dict):
        raise InvalidError(f"{where} is {_short(value)}, not an object; correct the line.")
    return value


def _whole(value: object) -> int | None:
    """A whole number, whether it is written as 1, 1.0 or "1"; None for anything else."""
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str() if value.isdecimal() and len(value) < 10:
            return int(value)
        case _:
            return None


def _is_encodable(text: str) -> bool:
    """Whether a text has no lone surrogates, which JSON can write but nothing can store."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
