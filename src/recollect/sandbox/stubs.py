"""Stubs: tools as typed async functions, so that code is checked before it runs."""

import json
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.records.display import one_line

# The interpreter has this exception, but its type checker does not know it.
HEADER = (
    "from typing import Any, Literal, NotRequired, TypedDict\nclass PermissionError(OSError): ...\n"
)
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_CHOICES, _DEEPEST, _MOST_FIELDS = 40, 8, 200
_DESCRIPTION = 200  # characters


@dataclass(frozen=True, slots=True)
class ToolFunction:
    """A tool as code sees it: the name of its function, its schemas, and what it does in a line."""

    tool: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] | None = None
    description: str = ""

    @property
    def name(self) -> str:
        return function_name(self.tool)


def function_name(tool: str) -> str:
    """`time:get-current_time` is the function `time_get_current_time`."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", tool)
    return f"_{name}" if name[:1].isdigit() or keyword.iskeyword(name) else name


def signature(function: ToolFunction) -> str:
    """A function with its parameters and their types, on one line."""
    return f"{function.name}({', '.join(_Stub(function).parameters())})"


def words_of(code: str) -> frozenset[str]:
    """Every word of a source, also those in texts and comments: what it may call is among them.

    Hostile source is not parsed in this process.
    """
    return frozenset(_WORD.findall(code))


def stubs_of(functions: Sequence[ToolFunction]) -> str:
    """The declarations of these functions."""
    return HEADER + "".join("\n".join(_Stub(function).lines()) + "\n" for function in functions)


class _Stub:
    """One function's declaration and the types that it needs."""

    def __init__(self, function: ToolFunction) -> None:
        self._function = function
        self._classes: list[str] = []

    def lines(self) -> Iterator[str]:
        function = self._function
        parameters = [*self.parameters()]
        output = "Any" if function.output is None else self._type(function.output, "Output", 0)
        yield from self._classes
        yield f"async def {function.name}({', '.join(parameters)}) -> {output}:"
        yield f"    {_text(function.description)}"
        yield "    ..."

    def parameters(self) -> Iterator[str]:
        """Named parameters; what Python cannot name, and tools that declare nothing, take anything."""
        properties, required = _properties(self._function.inputs)
        names = [name for name in properties if _is_name(name)]
        if names:
            yield "*"
        for name in names:
            type_name = self._type(properties[name], f"In_{name}", 0)
            yield f"{name}: {type_name}" if name in required else f"{name}: {type_name} | None = ..."
        if "properties" not in self._function.inputs or len(names) < len(properties):
            yield "**others: Any"

    def _type(self, schema: Any, name: str, depth: int) -> str:
        """The type of a schema; what cannot be said exactly is Any, never something narrower."""
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return "Any"
        if "const" in schema:
            return _literal([schema["const"]])
        if isinstance(choices := schema.get("enum"), list):
            return _literal(choices)
        for word in ("anyOf", "oneOf"):
            if isinstance(options := schema.get(word), list):
                return _union(
                    self._type(option, f"{name}{index}", depth + 1)
                    for index, option in enumerate(options)
                )
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return _union(self._of_kind(kind, schema, f"{name}_{kind}", depth) for kind in kinds)
        return self._of_kind(kinds, schema, name, depth)

    def _of_kind(self, kind: Any, schema: Mapping[str, Any], name: str, depth: int) -> str:
        match kind:
            case "array":
                return f"list[{self._type(schema.get('items'), f'{name}Item', depth + 1)}]"
            case "object":
                return self._object(schema, name, depth)
            case str() if kind in _SIMPLE:
                return _SIMPLE[kind]
            case _:
                return "Any"

    def _object(self, schema: Mapping[str, Any], name: str, depth: int) -> str:
        properties, required = _properties(schema)
        is_plain = all(_is_name(key) and not key.startswith("__") for key in properties)
        if not properties or not is_plain or len(properties) > _MOST_FIELDS:
            return "dict[str, Any]"
        if not name.startswith("Output"):  # a dictionary that code builds is checked by the gateway
            return "dict[str, Any]"
        class_name = f"_{self._function.name}_{re.sub('[^A-Za-z0-9_]', '_', name)}"
        lines = [f"class {class_name}(TypedDict):"]
        for key, inner in properties.items():
            type_name = self._type(inner, f"{name}_{key}", depth + 1)
            lines.append(f"    {key}: {type_name if key in required else f'NotRequired[{type_name}]'}")
        self._classes.append("\n".join(lines))
        return class_name


def _properties(schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], frozenset[str]]:
    """The properties of an object's schema, required ones first, and their names."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping):
        return {}, frozenset()
    names = (
        frozenset(name for name in required if name in properties)
        if isinstance(required, list)
        else frozenset()
    )
    return properties, names


def _is_name(text: object) -> bool:
    return (
        isinstance(text, str) and text.isidentifier() and text.isascii() and not keyword.iskeyword(text)
    )


def _literal(choices: Sequence[Any]) -> str:
    plain = all(choice is None or isinstance(choice, str | int | bool) for choice in choices)
    if not plain or not 0 < len(choices) <= _MOST_CHOICES:
        return "Any"
    return f"Literal[{', '.join(_text(c) if isinstance(c, str) else repr(c) for c in choices)}]"


def _union(types: Iterator[str]) -> str:
    names = list(dict.fromkeys(types))
    return "Any" if "Any" in names or not names else " | ".join(names)


def _text(text: str) -> str:
    """A text as a literal of Python: servers write descriptions, and may try to end it."""
    return json.dumps(one_line(text)[:_DESCRIPTION])
