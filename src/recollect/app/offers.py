"""Resources and prompts of upstream servers: under which names clients see them, and whose each is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate

from recollect.app.gateway import Gateway
from recollect.errors import NotFoundError
from recollect.gateway.exposure import Exposure
from recollect.gateway.listing import UpstreamPrompt, UpstreamResource, UpstreamTemplate
from recollect.gateway.naming import listed_names
from recollect.gateway.neutral_tool import neutral_prompt, neutral_resource, neutral_template
from recollect.gateway.tool import UpstreamTool

_APP_SCHEME = "ui://"  # MCP Apps: a tool names the page that shows its result


@dataclass(frozen=True, slots=True)
class Offers:
    """What clients see. An address stays as its server wrote it, unless two servers have the same."""

    resources: Mapping[str, UpstreamResource]
    templates: Mapping[str, UpstreamTemplate]
    prompts: Mapping[str, UpstreamPrompt]
    pages: Mapping[str, str]  # server by address of a page that a tool names

    def owner(self, uri: str) -> tuple[str, str]:
        """The server of an address, and the address as the server has it. Raises NotFoundError."""
        if uri in self.resources:
            return self.resources[uri].server, self.resources[uri].uri
        servers = dict.fromkeys(self._by_template(uri))
        if not servers and uri in self.pages:
            return self.pages[uri], uri
        if len(servers) != 1:
            reason = (
                f"several servers have it: {', '.join(servers)}" if servers else "no server lists it"
            )
            raise NotFoundError(f"{uri!r} cannot be read: {reason}.")
        return next(iter(servers)), uri

    def _by_template(self, uri: str) -> Iterator[str]:
        for template in self.templates.values():
            try:
                if UriTemplate.parse(template.uri_template).match(uri) is not None:
                    yield template.server
            except InvalidUriTemplate:
                continue


def offers_of(gateway: Gateway, exposure: Exposure, own_prompts: Sequence[str]) -> Offers:
    """What the servers that are switched on offer, from the catalogue: none is started."""
    enabled = gateway.enabled

    def seen(server: str) -> bool:
        return server in enabled and exposure.sees(server)

    catalogue = gateway.catalogue
    resources = [neutral_resource(item)[0] for item in catalogue.resources() if seen(item.server)]
    templates = [neutral_template(item)[0] for item in catalogue.templates() if seen(item.server)]
    prompts = [neutral_prompt(item)[0] for item in catalogue.prompts() if seen(item.server)]
    return Offers(
        _by_address(resources),
        {f"{template.server}:{template.uri_template}": template for template in templates},
        listed_names(prompts, own_prompts),
        _pages(tool for tool in catalogue.tools() if seen(tool.server)),
    )


def _by_address(resources: Sequence[UpstreamResource]) -> dict[str, UpstreamResource]:
    counts: dict[str, int] = {}
    for resource in resources:
        counts[resource.uri] = counts.get(resource.uri, 0) + 1
    return {
        resource.uri if counts[resource.uri] == 1 else f"{resource.server}+{resource.uri}": resource
        for resource in resources
    }


def _pages(tools: Iterable[UpstreamTool]) -> dict[str, str]:
    """Pages of MCP Apps that no list names; one that tools of two servers name belongs to neither."""
    servers: dict[str, set[str]] = {}
    for tool in tools:
        for uri in _texts(tool.meta):
            if uri.startswith(_APP_SCHEME):
                servers.setdefault(uri, set()).add(tool.server)
    return {uri: next(iter(names)) for uri, names in servers.items() if len(names) == 1}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
