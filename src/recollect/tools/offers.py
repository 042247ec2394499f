"""What a server offers besides tools: the port through which resources and prompts of others come."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import mcp_types as types

from recollect.errors import NotFoundError
from recollect.tools.caller import Caller


class OfferProvider(Protocol):
    """Resources, resource templates and prompts of one source, under the names that clients see.

    A prompt that it does not have is None. Raises NotFoundError for a resource that it does not have, and
    other errors of ours when its source fails.
    """

    async def resources(self) -> Sequence[types.Resource]: ...
    async def templates(self) -> Sequence[types.ResourceTemplate]: ...
    async def prompts(self) -> Sequence[types.Prompt]: ...
    async def read_resource(self, uri: str, caller: Caller, /) -> types.ReadResourceResult: ...
    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], caller: Caller, /
    ) -> types.GetPromptResult | None: ...
    async def complete(
        self, request: types.CompleteRequestParams, caller: Caller, /
    ) -> types.CompleteResult: ...
    def roots_changed(self, session: str | None, /) -> None:
        """The client works in other folders now."""


class NoOffers:
    """A source that offers nothing."""

    async def resources(self) -> Sequence[types.Resource]:
        return ()

    async def templates(self) -> Sequence[types.ResourceTemplate]:
        return ()

    async def prompts(self) -> Sequence[types.Prompt]:
        return ()

    async def read_resource(self, uri: str, _: Caller) -> types.ReadResourceResult:
        raise NotFoundError(f"{uri!r} is not a resource of this server; they begin with 'memory://'.")

    async def get_prompt(self, _: str, __: object, ___: Caller) -> types.GetPromptResult | None:
        return None

    async def complete(self, _: types.CompleteRequestParams, __: Caller) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=[]))

    def roots_changed(self, _: str | None) -> None:
        """No server was started for them."""


NO_OFFERS = NoOffers()
