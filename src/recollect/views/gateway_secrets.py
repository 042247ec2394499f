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


class GatewayLoginOutput(TypedDict):
    """`recollect gateway login|logout`: whether there is a login now; a server may ask for none."""

    server: str
    is_logged_in: bool
