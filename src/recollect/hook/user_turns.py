"""What the user typed, from a transcript: the last turns of a session, or the first.

A transcript that cannot be read has no turns.
"""

from __future__ import annotations

from recollect.hook.transcript import STEP, first_rows, last_rows, numbered_rows, rows_of, storable
from recollect.values import Frozen
from recollect.working.session_state import prompt_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

TURNS = 3
# One turn of much work can be hundreds of KB long. Looking through a megabyte takes 1 ms.
TAIL = 16 * STEP
# A session's first turn comes after its instructions, which are 30 KB in Codex and may be longer.
HEAD = 4 * STEP
MOST = 1024 * STEP  # bytes in which the line of a prompt is looked for


def user_turns(path: str, harness: str) -> list[str]:
    """The user's last turns, oldest first. Reads backwards until there are enough."""
    rows = rows_of(harness)
    if rows is None:
        return []
    turns: list[str] = []
    for row in last_rows(path, TAIL, rows.may_be_prompt):
        text = _typed(rows.prompt(row))
        if text and turns[-1:] != [text]:
            turns.append(text)
            if len(turns) == TURNS:
                break
    return turns[::-1]


def first_turns(path: str, harness: str) -> Iterator[str]:
    """The user's first turns, oldest first: what a session began with. Reads as the caller iterates."""
    rows = rows_of(harness)
    if rows is None:
        return
    for row in first_rows(path, HEAD, rows.may_be_prompt):
        if text := _typed(rows.prompt(row)):
            yield text


def place_of(path: str, harness: str, prompt: str) -> tuple[int, int]:
    """The turn and the line of a session's latest prompt, from 1; (0, 0) where no transcript says.

    Some harnesses write the prompt down before they ask, others afterwards: then it is the next line.
    """
    rows = rows_of(harness)
    if rows is None:
        return 0, 0
    turn = line = number = 0
    last = ""
    for number, row in numbered_rows(path, MOST, rows.may_be_prompt):
        if row is not None and (text := _typed(rows.prompt(row))):
            turn, line, last = turn + 1, number, text
    if not number:
        return 0, 0
    return (turn, line) if last == storable(prompt.strip()) else (turn + 1, number + 1)


class TypedTurn(Frozen):
    """A prompt in a transcript: its digest and text, its number among the prompts and its line, from 1."""

    digest: str
    text: str
    number: int
    line: int


def find_turns(path: str, harness: str, digests: Collection[str]) -> Iterator[TypedTurn]:
    """The turns of a transcript that have one of these digests, oldest first."""
    rows = rows_of(harness)
    if rows is None:
        return
    turn = 0
    for number, row in numbered_rows(path, MOST, rows.may_be_prompt):
        if row is not None and (text := _typed(rows.prompt(row))):
            turn += 1
            if (digest := prompt_digest(text)) in digests:
                yield TypedTurn(digest, text, turn, number)


def _typed(prompt: str) -> str:
    """A prompt without what Recollect added to it; '' for what a harness put in angle brackets instead."""
    if "memory-context" in prompt:
        from recollect.working.echo import typed

        prompt = typed(prompt)
    text = prompt.strip()
    return "" if text.startswith("<") else storable(text)
