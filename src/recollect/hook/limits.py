"""How long a hook may take, and how long each of its steps waits within that.

`RECOLLECT_HOOK_PATIENCE`, a number from 1 to 20, multiplies every limit: for a machine that is too busy to
start Python within a second, and for tests, whose outcome must not depend on how busy the machine is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "RECOLLECT_HOOK_PATIENCE"
MOST_PATIENCE = 20.0
DEADLINE = 0.9  # seconds of the whole process; then it ends without output
LOCK_WAIT = 0.7  # seconds for another writer, so that a failure is still logged before the deadline
ANSWER_LOCK_WAIT = 0.35  # seconds, where there is something to answer without the state
SERVER_WAIT = 0.05  # seconds for a running server's answer


def patience(env: Mapping[str, str]) -> float:
    """The factor for all limits. A value that is not a number from 1 to 20 counts as 1."""
    try:
        factor = float(env.get(VARIABLE, "1"))
    except ValueError:
        return 1.0
    return factor if 1 <= factor <= MOST_PATIENCE else 1.0
