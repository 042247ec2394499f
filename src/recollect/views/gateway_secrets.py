"""Secrets of servers, as JSON: their names, never their values."""

from typing import TypedDict


class ServerSecretRow(TypedDict):
    """A secret in the keyring, or one that a server needs and the keyring lacks."""

    name: str
    is_set: bool
    servers: list[str]


class GatewaySecretListOutput(TypedDict):
    """`recollect gateway secret list`."""

    secrets: list[ServerSecretRow]


class GatewaySecretOutput(TypedDict):
    """`recollect gateway secret set|remove`: what was stored or removed."""

    name: str
    is_set: bool
