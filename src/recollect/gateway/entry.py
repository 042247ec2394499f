"""Entries of the catalogue as JSON, which is how they are stored and compared."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from recollect.gateway.digest import digest
from recollect.gateway.listing import (
    Entry,
    PromptArgument,
    UpstreamPrompt,
    UpstreamResource,
    UpstreamTemplate,
)
from recollect.gateway.tool import EffectHints, UpstreamTool

Kind = Literal["tool", "resource", "template", "prompt"]


@dataclass(frozen=True, slots=True)
class _Shape:
    kind: Kind
    key: str  # the field that names an entry among those of its server


_SHAPES: Mapping[type[Entry], _Shape] = {
    UpstreamTool: _Shape("tool", "name"),
    UpstreamResource: _Shape("resource", "uri"),
    UpstreamTemplate: _Shape("template", "uri_template"),
    UpstreamPrompt: _Shape("prompt", "name"),
}


def kind_of(entry: type[Entry]) -> Kind:
    """The kind of a class of entries."""
    return _SHAPES[entry].kind


def key_of(entry: Entry) -> str:
    """What names an entry among those of its server and kind."""
    return str(getattr(entry, _SHAPES[type(entry)].key))


def content_of(entry: Entry) -> dict[str, Any]:
    """An entry as JSON without its server. Without empty fields, so that a new field changes no digest."""
    content = {name: _plain(getattr(entry, name)) for name in _names(type(entry))}
    return {name: value for name, value in content.items() if value not in (None, "", {}, [])}


def digest_of(entry: Entry) -> str:
    """The digest of everything that a server declares about an entry."""
    return digest(content_of(entry))


def tool_of(server: str, content: Mapping[str, Any]) -> UpstreamTool:
    """The tool that `content_of` wrote."""
    known = _known(UpstreamTool, content)
    return UpstreamTool(
        server, **known | {"hints": EffectHints(**_known(EffectHints, content.get("hints", {})))}
    )


def resource_of(server: str, content: Mapping[str, Any]) -> UpstreamResource:
    """The resource that `content_of` wrote."""
    return UpstreamResource(server, **_known(UpstreamResource, content))


def template_of(server: str, content: Mapping[str, Any]) -> UpstreamTemplate:
    """The template that `content_of` wrote."""
    return UpstreamTemplate(server, **_known(UpstreamTemplate, content))


def prompt_of(server: str, content: Mapping[str, Any]) -> UpstreamPrompt:
    """The prompt that `content_of` wrote."""
    arguments = tuple(
        PromptArgument(**_known(PromptArgument, row)) for row in content.get("arguments", ())
    )
    return UpstreamPrompt(server, **_known(UpstreamPrompt, content) | {"arguments": arguments})


def _plain(value: object) -> object:
    if isinstance(value, EffectHints | PromptArgument):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: part for name, part in parts.items() if part not in (None, "")}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _names(shape: type) -> list[str]:
    return [field.name for field in fields(shape) if field.name != "server"]


def _known(shape: type, content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that this version knows: a later one may have stored more."""
    return {name: content[name] for name in _names(shape) if name in content}
