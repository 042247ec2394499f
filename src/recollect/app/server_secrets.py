"""Secrets of upstream servers: none is written into our files, and the keyring has those that are named."""

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import RefusedError
from recollect.gateway.upstream import Upstream, secrets_of
from recollect.redaction.redact import redact


def secret_uses(stored: Sequence[str], upstreams: Mapping[str, Upstream]) -> dict[str, list[str]]:
    """The servers that need each secret, by its name; also of secrets that are stored and not needed."""
    uses: dict[str, list[str]] = {name: [] for name in stored}
    for server, upstream in upstreams.items():
        for name in secrets_of(upstream):
            uses.setdefault(name, []).append(server)
    return dict(sorted(uses.items()))


def refuse_secrets(name: str, entry: Mapping[str, Any]) -> None:
    """Secrets stay in the environment or the keyring: the file names them. Raises RefusedError."""
    for key in ("env", "headers"):
        for variable, value in dict(entry.get(key, {})).items():
            if _is_secret(variable, value):
                raise _holds_secret(name, f"the {key} {variable!r}", variable)
    words = [*entry.get("args", ()), str(entry.get("url", ""))]
    if redact(" ".join(words))[1]:
        raise _holds_secret(name, "an argument" if entry.get("args") else "the address", "TOKEN")


def _holds_secret(name: str, what: str, variable: str) -> RefusedError:
    stored = _variable(variable)
    return RefusedError(
        f"{what} of the server {name!r} looks like a secret, and secrets are not stored; export "
        f"it and pass `{variable}=${{{stored}}}`, or run `recollect gateway secret set {stored}` "
        f"and pass `{variable}=${{keyring:{stored}}}`. Both are read when the server starts."
    )


def _is_secret(name: str, value: str) -> bool:
    return bool(redact(f"{name}={value}")[1])


def _variable(name: str) -> str:
    return "".join(mark if mark.isalnum() else "_" for mark in name).upper()
