"""Where the page is."""

from typing import TypedDict


class WebOutput(TypedDict):
    """`recollect web`: where the page is, once it can be opened. `address` contains the token.

    For a team both are without one: members sign in with theirs.
    `person` is false when an agent started it: then nothing can be approved there. `built` is false when only
    the API is served, because the page was not built.
    """

    address: str
    port: int
    token: str
    person: bool
    built: bool
