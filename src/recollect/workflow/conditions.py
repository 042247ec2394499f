"""Conditions of a task: `${tests.failed} > 0`, `${page.title}`, `not ${list.items}`."""

import json
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recollect.errors import NotFoundError, RefusedError
from recollect.records.json_format import Json
from recollect.workflow.references import OutputReference, parse_reference

_CONDITION = re.compile(
    r"\s*(?P<negated>not\s+)?\$\{(?P<reference>[^{}]*)\}\s*"
    r"(?:(?P<operator>==|!=|<=|>=|<|>|in|contains)\s*(?P<value>.+?)\s*)?"
)
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "contains": lambda left, right: right in left,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A value compared with a constant; without an operator the value must be true, not empty and not 0."""

    reference: OutputReference
    operator: str = ""
    value: Json = None
    negated: bool = False

    def __str__(self) -> str:
        comparison = (
            f" {self.operator} {json.dumps(self.value, ensure_ascii=False)}" if self.operator else ""
        )
        return f"{'not ' if self.negated else ''}${{{self.reference}}}{comparison}"

    def holds(self, read: Callable[[OutputReference], Json]) -> bool:
        """Whether it holds; a value that is not there is null. Values that cannot be compared do not."""
        try:
            value = read(self.reference)
        except NotFoundError:
            value = None
        if not self.operator:
            return bool(value) is not self.negated
        try:
            return bool(_COMPARISONS[self.operator](value, self.value)) is not self.negated
        except TypeError:
            return self.negated


def parse_condition(text: str) -> Condition:
    """Raises RefusedError for what is no condition."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise RefusedError(
            f"the condition {text!r} is not valid; write ${{task.path}} alone, or with one of "
            f"{' '.join(_COMPARISONS)} and a JSON value, as in ${{tests.failed}} > 0."
        )
    reference = parse_reference(match["reference"])
    if match["operator"] is None:
        return Condition(reference, negated=match["negated"] is not None)
    return Condition(
        reference, match["operator"], _constant(text, match["value"]), match["negated"] is not None
    )


def _constant(condition: str, text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except ValueError:
        raise RefusedError(
            f"in the condition {condition!r}, {text} is not a JSON value; strings need double quotes."
        ) from None
    return value
