"""The secrets of a server that a team shares: none, because credentials are each person's own."""

from recollect.errors import NotPermittedError


class NobodysSecrets:
    """`recollect.gateway.ports.Secrets`, always empty."""

    def get(self, _name: str) -> str | None:
        """None."""
        return None

    def put(self, name: str, _value: str) -> None:
        """Raises NotPermittedError."""
        raise credentials_refusal(name)

    def remove(self, _name: str) -> bool:
        """There is none to remove."""
        return False

    def names(self) -> list[str]:
        """None."""
        return []


def credentials_refusal(name: str) -> NotPermittedError:
    """Why a server is not started with somebody's credentials."""
    return NotPermittedError(
        f"{name!r} needs credentials, and a shared team server has none of its own; run `recollect serve` "
        "on your own machine, with the same database."
    )
