"""The tokens of a team at the doors: each request asks the database, so that a revoked one ends at once."""

from functools import partial

import anyio
from anyio import to_thread

from recollect.app.team import Team
from recollect.errors import RecollectError
from recollect.team.audit import Outcome
from recollect.team.principal import Principal
from recollect.team.roles import Permission

_PATIENCE = 2.0  # seconds for the database to answer a probe


class TeamTokens:
    """What says who shows a token, and records what they do. The database is asked in threads."""

    def __init__(self, team: Team) -> None:
        self._team = team

    async def principal(self, token: str) -> Principal | None:
        """Who shows a token. Raises NotPermittedError, RateLimitedError and StoreError."""
        return await to_thread.run_sync(self._team.authenticate, token)

    async def record(
        self, who: Principal, permission: Permission, target: str, outcome: Outcome
    ) -> None:
        """Add to the audit log. Raises StoreError."""
        await to_thread.run_sync(partial(self._team.record, who, permission, target, outcome))

    async def unready(self) -> str:
        """Why the database cannot be used now; empty if it can."""
        try:
            with anyio.fail_after(_PATIENCE):
                await to_thread.run_sync(self._team.probe, abandon_on_cancel=True)
        except TimeoutError:
            return f"the database did not answer within {_PATIENCE:g} s."
        except RecollectError as error:
            return str(error)
        return ""
