"""The fields of a JSON Schema: where each value is, and of what type.

Local references (`#/$defs/...`) are followed and alternatives are merged. What is malformed, deeper than
`DEEPEST` or beyond `MOST_FIELDS` is left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.gateway.vault.json_path import Every, Steps

DEEPEST = 6
MOST_FIELDS = 500
_MOST_REFERENCES = 8  # that lead to each other
_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array"})

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One place. No `types`: nothing is known about them. `items` are the types of a list's elements.

    `always`: every value that fulfils the schema has the place.
    """

    path: Steps
    types: frozenset[str]
    items: frozenset[str] = frozenset()
    always: bool = True

    @property
    def name(self) -> str:
        """The last name on the path; '' for the document itself and the items of a list there."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "")

    @property
    def containers(self) -> tuple[str, ...]:
        """The names that lead there."""
        names = [step for step in self.path if isinstance(step, str)]
        return tuple(names[:-1])


@dataclass(frozen=True, slots=True)
class Input:
    """A required parameter of a tool, with what the schema says for whoever has to fill it."""

    name: str
    types: frozenset[str]
    items: frozenset[str] = frozenset()
    about: str = ""
    choices: tuple[Any, ...] = ()


def fields(schema: Schema) -> Iterator[SchemaField]:
    """Every place below the document itself, those near the top first."""
    level: list[tuple[Steps, Schema, bool]] = [((), _followed(schema, schema), True)]
    left = MOST_FIELDS
    for _ in range(DEEPEST):
        below: list[tuple[Steps, Schema, bool]] = []
        for path, inner, always in level:
            for step, child, required in _children(inner, schema):
                place = (*path, step)
                present = always and required
                if isinstance(step, str):
                    left -= 1
                    yield SchemaField(place, types(child), item_types(child, schema), present)
                if not left:
                    return
                below.append((place, child, present))
        level = below


def required_inputs(schema: Schema) -> tuple[Input, ...]:
    """The required parameters of a tool, in the order of its schema."""
    properties = schema.get("properties")
    required = schema.get("required")
    known = properties if isinstance(properties, Mapping) else {}
    if not isinstance(required, Sequence) or isinstance(required, str):
        return ()
    names = [name for name in known if name in required]
    names += [name for name in required if isinstance(name, str) and name not in known]
    return tuple(_input(name, known.get(name, {}), schema) for name in names)


def types(schema: Schema) -> frozenset[str]:
    """The JSON types that a schema allows, null left out; none when it does not say."""
    declared = schema.get("type")
    names = [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else []
    return frozenset(name for name in names if name in _TYPES)


def item_types(schema: Schema, root: Schema) -> frozenset[str]:
    """The types of the elements, for a list."""
    items = schema.get("items")
    return types(_followed(items, root)) if isinstance(items, Mapping) else frozenset()


def _input(name: str, property: object, root: Schema) -> Input:
    outer = property if isinstance(property, Mapping) else {}
    schema = _followed(outer, root)
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    about = outer.get("description") or schema.get("description") or ""
    return Input(
        name,
        types(schema),
        item_types(schema, root),
        str(about),
        tuple(choices) if isinstance(choices, list) else (),
    )


def _children(schema: Schema, root: Schema) -> Iterator[tuple[str | Every, Schema, bool]]:
    properties, items = schema.get("properties"), schema.get("items")
    required = schema.get("required")
    always = required if isinstance(required, list) and "null" not in _declared(schema) else []
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            if isinstance(name, str) and isinstance(inner, Mapping):
                followed = _followed(inner, root)
                yield name, followed, name in always and "null" not in _declared(followed)
    if isinstance(items, Mapping):
        yield Every(), _followed(items, root), True


def _declared(schema: Schema) -> Sequence[Any]:
    declared = schema.get("type")
    return declared if isinstance(declared, list) else [declared]


def _followed(schema: Schema, root: Schema) -> Schema:
    """The schema that references and alternatives lead to; of real alternatives only the types are kept."""
    for _ in range(_MOST_REFERENCES):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            schema = _referred(reference, root)
            continue
        alternatives = schema.get("anyOf") or schema.get("oneOf")
        if not isinstance(alternatives, list):
            return schema
        known = [inner for inner in alternatives if isinstance(inner, Mapping)]
        real = [inner for inner in known if inner.get("type") != "null"]
        if len(real) != 1:
            return {"type": sorted({name for inner in known for name in types(inner)})}
        if len(real) == len(known):
            schema = real[0]
        else:
            inner = _followed(real[0], root)
            return {**inner, "type": [*_declared(inner), "null"]} if types(inner) else inner
    return {}


def _referred(reference: str, root: Schema) -> Schema:
    target: Any = root
    for step in reference.removeprefix("#/").split("/"):
        target = (
            target.get(step.replace("~1", "/").replace("~0", "~"))
            if isinstance(target, Mapping)
            else None
        )
    return target if isinstance(target, Mapping) and reference.startswith("#/") else {}
