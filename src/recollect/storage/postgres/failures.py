"""What an error of PostgreSQL means to the caller: one table from SQLSTATE classes to the exception tree."""

from dataclasses import dataclass

import psycopg
from psycopg import errors as sqlstates

from recollect.errors import (
    DatabaseError,
    InvalidError,
    LockedError,
    NotPermittedError,
    StoreError,
    UnwritableError,
)

LIMIT_REACHED = "RC001"  # raised by our own trigger; a class of states that PostgreSQL does not use


@dataclass(frozen=True, slots=True)
class Address:
    """Which database: enough to recognise it in a message, and no password."""

    host: str
    port: str
    name: str
    user: str

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return f"{user}{self.host}:{self.port}/{self.name}"


_TRANSIENT = (sqlstates.SerializationFailure, sqlstates.DeadlockDetected)
_FULL = (sqlstates.DiskFull, sqlstates.OutOfMemory)
_LOGIN = (sqlstates.InvalidAuthorizationSpecification, sqlstates.InvalidPassword)
_RESTARTING = (sqlstates.AdminShutdown, sqlstates.CrashShutdown, sqlstates.CannotConnectNow)


def translated(
    error: psycopg.Error, address: Address, statement_seconds: float
) -> StoreError | InvalidError:
    """The error of our tree for one of psycopg's."""
    where, reason = str(address), _reason(error)
    match error:
        case _ if isinstance(error, _TRANSIENT):
            return DatabaseError(where, reason, "try again", is_transient=True)
        case _ if isinstance(error, _FULL):
            return UnwritableError(
                f"the database {where} cannot store more ({reason}); nothing was written. "
                "Free space on its server."
            )
        case _ if error.sqlstate == LIMIT_REACHED:
            return NotPermittedError(
                f"{reason}; delete some, or let an administrator raise the limit (`recollect team limits`)."
            )
        case sqlstates.ReadOnlySqlTransaction():
            return UnwritableError(
                f"the database {where} is read-only ({reason}), as a replica is; connect to the primary."
            )
        case sqlstates.LockNotAvailable():
            return LockedError(f"another process holds a lock in {where} ({reason}); try again.")
        case sqlstates.QueryCanceled():
            return DatabaseError(where, f"no answer within {statement_seconds:g} s", "try again later")
        case sqlstates.InsufficientPrivilege():
            return DatabaseError(where, reason, "ask its administrator for the permission")
        case sqlstates.TooManyConnections():
            return DatabaseError(where, reason, "try again, or raise max_connections")
        case _ if isinstance(error, _LOGIN) or "password" in reason:
            return DatabaseError(
                where, reason, "check the user, and the password in PGPASSWORD or PGPASSFILE"
            )
        case _ if isinstance(error, _RESTARTING):
            return DatabaseError(where, reason, "try again when it is running")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return DatabaseError(where, reason, "check that it is running and reachable, and try again")
        case psycopg.DataError():
            return InvalidError(f"a value cannot be stored in {where}: {reason}.")
        case _:
            return DatabaseError(where, reason, "if this repeats, run `recollect doctor`")


def _reason(error: psycopg.Error) -> str:
    """The first line of what the server said. Its details may quote rows, so they are left out."""
    text = error.diag.message_primary or str(error).strip().partition("\n")[0] or type(error).__name__
    return text.rstrip(".").removeprefix("connection failed: ")
