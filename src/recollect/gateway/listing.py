"""What a server offers besides its tools, and one complete list of all of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.gateway.tool import UpstreamTool


@dataclass(frozen=True, slots=True)
class UpstreamResource:
    """A resource that can be read by its address. `size` is in bytes, if the server says it."""

    server: str
    uri: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime_type: str = ""
    size: int | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpstreamTemplate:
    """Resources whose addresses follow a pattern (RFC 6570)."""

    server: str
    uri_template: str
    name: str = ""
    title: str = ""
    description: str = ""
    mime_type: str = ""


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """One argument of a prompt."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class UpstreamPrompt:
    """A prompt that a person may choose."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


Entry = UpstreamTool | UpstreamResource | UpstreamTemplate | UpstreamPrompt


@dataclass(frozen=True, slots=True)
class ServerListing:
    """Everything that a server listed. None: it did not say, and what is known of it stays."""

    tools: Sequence[UpstreamTool] | None = None
    resources: Sequence[UpstreamResource] | None = None
    templates: Sequence[UpstreamTemplate] | None = None
    prompts: Sequence[UpstreamPrompt] | None = None

    def by_shape(self) -> tuple[tuple[type[Entry], Sequence[Entry] | None], ...]:
        """Each list with the class of its entries."""
        return (
            (UpstreamTool, self.tools),
            (UpstreamResource, self.resources),
            (UpstreamTemplate, self.templates),
            (UpstreamPrompt, self.prompts),
        )
