"""A tool of an upstream server, as the catalogue knows it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from recollect.text.token_estimate import tokens_of
from recollect.text.tokens import words

_DEEPEST = 3  # levels of nested parameters that are read


@dataclass(frozen=True, slots=True)
class EffectHints:
    """What a server says about the effects of a tool. None: it does not say. A claim, not a fact."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@dataclass(frozen=True, slots=True)
class UpstreamTool:
    """One tool. `server` is the name under which the user configured its server.

    `output_schema` is the declared one; `meta` has what MCP Apps read (the `ui://` resource of the tool).
    """

    server: str
    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    hints: EffectHints = EffectHints()
    output_schema: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.server}:{self.name}"

    @property
    def about(self) -> str:
        """What the tool does, as search reads it: title and description."""
        if not self.title or self.title in self.description:
            return self.description
        return f"{self.title}. {self.description}".rstrip(". ") if self.description else self.title


def listing_tokens(name: str, title: str, description: str, input_schema: Mapping[str, Any]) -> int:
    """What a tool costs each conversation of a harness that lists it."""
    listed = {"name": name, "title": title, "description": description, "inputSchema": input_schema}
    return tokens_of({key: value for key, value in listed.items() if value})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool: its name, and what the schema says about it."""

    name: str
    about: str


def parameters(schema: object, deepest: int = _DEEPEST) -> Iterator[Parameter]:
    """The parameters of a JSON Schema and of the objects nested in it. Whatever is malformed is skipped."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return
    for name, property in properties.items():
        details = property if isinstance(property, Mapping) else {}
        choices = details.get("enum")
        words = [str(details.get("description") or "")]
        words += [str(choice) for choice in choices] if isinstance(choices, list) else []
        yield Parameter(str(name), " ".join(words))
        if deepest:
            yield from parameters(details, deepest - 1)
            yield from parameters(details.get("items"), deepest - 1)


@dataclass(frozen=True, slots=True)
class ToolTexts:
    """What an embedder reads of a tool, each by itself: everything, the description, and the name in words.

    The server is left out: in a catalogue of one server it would say the same of every tool.
    """

    everything: str
    description: str
    name: str


def texts_of(tool: UpstreamTool) -> ToolTexts:
    """The texts of a tool. One that is not described is read as a whole in place of its description."""
    name = spelled_out(tool.name)
    details = "; ".join(
        f"{spelled_out(parameter.name)}: {parameter.about}".rstrip(": ")
        for parameter in parameters(tool.input_schema)
    )
    everything = f"{name}. {tool.about} {details}".strip()
    return ToolTexts(everything, tool.about or everything, name or everything)


def spelled_out(name: str) -> str:
    """A name in words: `readFile` and `read_file` are `read file`."""
    return " ".join(part for word in words(name) for part in (word[1:] or word))
