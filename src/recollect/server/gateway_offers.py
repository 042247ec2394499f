"""Resources and prompts of upstream servers, passed through to clients."""

from collections.abc import Mapping, Sequence

import mcp_types as types

from recollect.app.dispatch import Dispatcher
from recollect.app.offers import Offers
from recollect.server.gateway_tools import GatewayTools
from recollect.server.prompts import PROMPTS
from recollect.tools.caller import Caller
from recollect.tools.offers import NO_OFFERS

_OWN_PROMPTS = tuple(prompt.name for prompt in PROMPTS)
_NOTHING = Offers({}, {}, {}, {})


class GatewayOffers:
    """What the servers of a gateway offer besides tools, as an OfferProvider."""

    def __init__(self, tools: GatewayTools) -> None:
        self._tools = tools

    async def resources(self) -> Sequence[types.Resource]:
        offers = await self._offers()
        return [
            types.Resource(
                uri=uri,
                name=item.name or uri,
                title=item.title or None,
                description=item.description or None,
                mime_type=item.mime_type or None,
                size=item.size,
                _meta=dict(item.meta) or None,
            )
            for uri, item in offers.resources.items()
        ]

    async def templates(self) -> Sequence[types.ResourceTemplate]:
        offers = await self._offers()
        return [
            types.ResourceTemplate(
                uri_template=item.uri_template,
                name=item.name or item.uri_template,
                title=item.title or None,
                description=item.description or None,
                mime_type=item.mime_type or None,
            )
            for item in offers.templates.values()
        ]

    async def prompts(self) -> Sequence[types.Prompt]:
        offers = await self._offers()
        return [
            types.Prompt(
                name=name,
                title=item.title or None,
                description=item.description or None,
                arguments=[
                    types.PromptArgument(
                        name=argument.name,
                        description=argument.description or None,
                        required=argument.required,
                    )
                    for argument in item.arguments
                ],
            )
            for name, item in offers.prompts.items()
        ]

    async def read_resource(self, uri: str, caller: Caller) -> types.ReadResourceResult:
        dispatcher = self._tools.dispatcher
        if dispatcher is None:
            return await NO_OFFERS.read_resource(uri, caller)
        server, address = (await self._offers()).owner(uri)
        return await dispatcher.ask(
            server, caller, lambda client: client.read_resource(address), f"resource {uri!r}"
        )

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], caller: Caller
    ) -> types.GetPromptResult | None:
        prompt = (await self._offers()).prompts.get(name)
        dispatcher = self._tools.dispatcher
        if prompt is None or dispatcher is None:
            return None
        return await dispatcher.ask(
            prompt.server,
            caller,
            lambda client: client.get_prompt(prompt.name, dict(arguments)),
            f"prompt {name!r}",
        )

    async def complete(
        self, request: types.CompleteRequestParams, caller: Caller
    ) -> types.CompleteResult:
        """Values for an argument of a prompt or template; none for what is not an upstream's."""
        dispatcher, offers = self._tools.dispatcher, await self._offers()
        reference = request.ref
        server = ""
        if isinstance(reference, types.PromptReference):
            if prompt := offers.prompts.get(reference.name):
                server, reference = prompt.server, types.PromptReference(name=prompt.name)
        else:
            patterns = (
                item for item in offers.templates.values() if item.uri_template == reference.uri
            )
            server = next((item.server for item in patterns), "")
        if dispatcher is None or not server:
            return await NO_OFFERS.complete(request, caller)
        argument = {"name": request.argument.name, "value": request.argument.value}
        known = (request.context.arguments or {}) if request.context else {}
        return await dispatcher.ask(
            server, caller, lambda client: client.complete(reference, argument, known), "a completion"
        )

    def roots_changed(self, session: str | None) -> None:
        if self._tools.dispatcher is not None:
            self._tools.dispatcher.roots_changed(session)

    async def _offers(self) -> Offers:
        dispatcher: Dispatcher | None = self._tools.dispatcher
        return _NOTHING if dispatcher is None else await dispatcher.offers(_OWN_PROMPTS)
