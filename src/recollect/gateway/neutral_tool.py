"""Tools, resources and prompts as a model may see them, and the flags that tell a person what was wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from recollect.gateway.hostile_text import neutralised, reasons_in
from recollect.gateway.listing import UpstreamPrompt, UpstreamResource, UpstreamTemplate
from recollect.gateway.lookalikes import is_disguised
from recollect.gateway.tool import UpstreamTool
from recollect.records.display import one_line

_DEEPEST, _MOST_PARTS = 24, 5_000  # of a schema; what lies beyond is left out
_EXCERPT = 120
# Values, not prose: changing harmless markup in them would change what the tool accepts.
_VALUES = frozenset(
    {"enum", "const", "default", "pattern", "examples", "$ref", "$id", "$schema", "format"}
)
_Addressed = TypeVar("_Addressed", UpstreamResource, UpstreamTemplate)
DEEP, DISGUISED = "is too deeply nested or too large, and was cut", "uses letters that look like others"


@dataclass(frozen=True, slots=True)
class TextFlag:
    """Something in a server's text that a person should look at: where, why, and how it begins."""

    where: str
    reason: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class NeutralTool:
    """A tool whose texts are data, and what was flagged in the original."""

    tool: UpstreamTool
    flags: tuple[TextFlag, ...]


@dataclass(slots=True)
class _Reader:
    """One walk over the texts of an entry."""

    flags: list[TextFlag] = field(default_factory=list)
    parts: int = 0

    def flag(self, where: str, reasons: tuple[str, ...], text: str) -> None:
        if reasons:
            excerpt = one_line(text[: 2 * _EXCERPT])[:_EXCERPT]
            self.flags += [TextFlag(one_line(where), reason, excerpt) for reason in reasons]

    def name(self, where: str, name: str) -> None:
        """A name cannot be changed, because it is what is called."""
        reasons = reasons_in(name) + ((DISGUISED,) if is_disguised(name) else ())
        self.flag(where, tuple(dict.fromkeys(reasons)), name)

    def text(self, where: str, text: str) -> str:
        result = neutralised(text)
        self.flag(where, result.reasons, text)
        return result.text

    def value(self, where: str, text: str) -> str:
        """A text that the tool compares with: it changes only if something in it is flagged."""
        result = neutralised(text)
        self.flag(where, result.reasons, text)
        return result.text if result.reasons else text

    def schema(self, where: str, part: Any, depth: int = 0, *, is_value: bool = False) -> Any:
        self.parts += 1
        if isinstance(part, str):
            return self.value(where, part) if is_value else self.text(where, part)
        if not isinstance(part, Mapping | list):
            return part
        if depth >= _DEEPEST or self.parts > _MOST_PARTS:
            self.flag(where, (DEEP,), "")
            return {} if isinstance(part, Mapping) else []
        if isinstance(part, list):
            return [self.schema(where, inner, depth + 1, is_value=is_value) for inner in part]
        return dict(self._members(where, part, depth, is_value=is_value))

    def _members(
        self, where: str, part: Mapping[Any, Any], depth: int, *, is_value: bool
    ) -> Iterator[tuple[str, Any]]:
        for key, inner in part.items():
            inner_where = f"{where}.{str(key)[:_EXCERPT]}"
            self.name(inner_where, str(key))
            values = is_value or key in _VALUES
            yield str(key), self.schema(inner_where, inner, depth + 1, is_value=values)


def neutral_tool(tool: UpstreamTool) -> NeutralTool:
    """A tool as a model may see it. Calls are checked against the original, which stays as it was."""
    read = _Reader()
    read.name("name", tool.name)
    output = None if tool.output_schema is None else read.schema("output schema", tool.output_schema)
    neutral = replace(
        tool,
        title=read.text("title", tool.title),
        description=read.text("description", tool.description),
        input_schema=read.schema("input schema", tool.input_schema),
        output_schema=output,
    )
    return NeutralTool(neutral, _once(read.flags))


def neutral_resource(resource: UpstreamResource) -> tuple[UpstreamResource, tuple[TextFlag, ...]]:
    """A resource as a model may see it, with its flags."""
    return _neutral_address(resource, "uri", resource.uri)


def neutral_template(template: UpstreamTemplate) -> tuple[UpstreamTemplate, tuple[TextFlag, ...]]:
    """A resource template as a model may see it, with its flags."""
    return _neutral_address(template, "uri template", template.uri_template)


def _neutral_address(
    item: _Addressed, where: str, address: str
) -> tuple[_Addressed, tuple[TextFlag, ...]]:
    read = _Reader()
    read.name(where, address)
    neutral = replace(
        item,
        name=read.text("name", item.name),
        title=read.text("title", item.title),
        description=read.text("description", item.description),
    )
    return neutral, _once(read.flags)


def neutral_prompt(prompt: UpstreamPrompt) -> tuple[UpstreamPrompt, tuple[TextFlag, ...]]:
    """A prompt as it is listed, with its flags."""
    read = _Reader()
    read.name("name", prompt.name)
    arguments = []
    for argument in prompt.arguments:
        read.name(f"argument {one_line(argument.name)}", argument.name)
        description = read.text(f"argument {one_line(argument.name)}", argument.description)
        arguments.append(replace(argument, description=description))
    neutral = replace(
        prompt,
        title=read.text("title", prompt.title),
        description=read.text("description", prompt.description),
        arguments=tuple(arguments),
    )
    return neutral, _once(read.flags)


def _once(flags: list[TextFlag]) -> tuple[TextFlag, ...]:
    return tuple(dict.fromkeys(flags))
