"""The last prompts of sessions whose harness keeps no transcript, in `state.db`.

What is written passes the gate first, and an error in it stops the write.
"""

from __future__ import annotations

from recollect.storage.sqlite.connections import writing
from recollect.storage.sqlite.schema import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recollect.storage.sqlite.state import StateDatabase

    Redact = Callable[[str], tuple[str, Sequence[object]]]

TURNS_KEPT = 3  # of each session
_KEPT = 500  # characters of a prompt: what comes later is seldom its subject
_LOOKED_AT = 4_000  # characters of a prompt that are looked at for secrets before it is cut


def turns(state: StateDatabase, session: str) -> list[str]:
    """The last prompts of a session that were kept, oldest first."""
    sql = "SELECT text FROM turn WHERE session = ? ORDER BY key"
    return [row[0] for row in state.connection.execute(sql, (storable(session),))]


def keep_turn(state: StateDatabase, session: str, prompt: str, redact: Redact) -> None:
    """Keep the beginning of a prompt; those before the last few of its session are let go."""
    text, name = redact(_start_of(prompt))[0].strip()[:_KEPT], storable(session)
    if not text:
        return
    db = state.connection
    with writing(db):
        db.execute("INSERT INTO turn (session, text) VALUES (?, ?)", (name, text))
        db.execute(
            "DELETE FROM turn WHERE session = ?1 AND key <="
            " (SELECT key FROM turn WHERE session = ?1 ORDER BY key DESC LIMIT 1 OFFSET ?2)",
            (name, TURNS_KEPT),
        )


def _start_of(prompt: str) -> str:
    """As much of a prompt as is looked at, up to the end of a word: half a secret is not known for one."""
    if len(prompt) <= _LOOKED_AT:
        return prompt
    start = prompt[:_LOOKED_AT]
    return start[: max(start.rfind(" "), start.rfind("\n"), 0)]
