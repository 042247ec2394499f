"""Does an output field feed an input? By name and by type, with how sure that is.

Names are compared by their words: `issue_id` is the `id` of an `issue`, and of a tool `create_issue`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from recollect.errors import RefusedError
from recollect.gateway.tool import UpstreamTool, spelled_out
from recollect.gateway.vault.json_path import Every, Steps
from recollect.text.stemming import stem
from recollect.text.tokens import STOP_WORDS
from recollect.workflow import weights
from recollect.workflow.references import OutputReference, parse_reference
from recollect.workflow.schema_fields import Input, Schema, SchemaField, fields, required_inputs

Words = frozenset[str]

_LONG_FORMS = {
    "repo": "repository",
    "dir": "directory",
    "org": "organization",
    "organisation": "organization",
    "msg": "message",
    "num": "number",
    "identifier": "id",
    "uri": "url",
    "filename": "file name",
    "filepath": "file path",
}
# Words that say what is done; two tools with the same one are not about the same thing.
_ACTIONS = frozenset(
    """add append apply by call cancel change check clear close copy create delete describe do edit execute
    fetch find get insert list load lookup make move new open post put query read remove rename replace reset
    run save search send set show start stop submit update view write""".split()  # noqa: SIM905
)
# Names that many things have.
_GENERAL = frozenset(
    """body content count data date description error format id input item key kind limit list message name
    number offset output page result size state status success text time timestamp title total type value
    version""".split()  # noqa: SIM905
)
# Names of what identifies a thing: an equal name then means the same thing, not only the same kind of value.
_IDENTIFIERS = frozenset(
    """address guid handle hash id key number path ref sha slug token
    url uuid""".split()  # noqa: SIM905
)
_WRAPPERS = frozenset({"result", "output", "value", "data", "response"})


@lru_cache(maxsize=4096)
def name_words(name: str) -> Words:
    """The words of a name in one form: stems, with common abbreviations written out."""
    parts = [_LONG_FORMS.get(part, part) for part in spelled_out(name).split()]
    return frozenset(stem(word) for part in parts for word in part.split())


def _stems(words: Iterable[str]) -> Words:
    return frozenset(map(stem, words))


_ACTION_STEMS, _GENERAL_STEMS = _stems(_ACTIONS | STOP_WORDS), _stems(_GENERAL)
_WRAPPER_STEMS, _IDENTIFIER_STEMS = _stems(_WRAPPERS), _stems(_IDENTIFIERS)


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """An output field that feeds a parameter."""

    parameter: str
    path: Steps
    certainty: float


@dataclass(frozen=True, slots=True)
class NamedField:
    """An output field with the words of its name, and of the names that lead there."""

    field: SchemaField
    words: Words
    containers: Words


@dataclass(frozen=True, slots=True)
class ToolShape:
    """What a tool takes and gives, prepared for comparing names. `echoes` are the names of its own inputs."""

    words: Words
    inputs: tuple[tuple[Input, Words], ...]
    fields: tuple[NamedField, ...]
    echoes: frozenset[Words]


def tool_shape(tool: UpstreamTool, output: Schema) -> ToolShape:
    """The shape of a tool that gives what the schema `output` says."""
    properties = tool.input_schema.get("properties")
    names = properties if isinstance(properties, Mapping) else {}
    return ToolShape(
        name_words(tool.name),
        tuple((each, name_words(each.name)) for each in required_inputs(tool.input_schema)),
        tuple(
            NamedField(
                each, name_words(each.name), frozenset().union(*map(name_words, each.containers))
            )
            for each in fields(output)
            if _can_be_written(each.path)
        ),
        frozenset(name_words(str(name)) for name in names),
    )


def matches(source: ToolShape, target: ToolShape) -> tuple[FieldMatch, ...]:
    """For each required input of `target` the output field of `source` that feeds it best."""
    return tuple(
        max(options, key=lambda match: (match.certainty, -len(match.path), repr(match.path)))
        for parameter, wanted in target.inputs
        if (options := list(_feeds(source, target, parameter, wanted)))
    )


def _feeds(
    source: ToolShape, target: ToolShape, parameter: Input, wanted: Words
) -> Iterator[FieldMatch]:
    for named in source.fields:
        certainty = name_certainty(wanted, target.words, named, source.words)
        if not certainty:
            continue
        path, fits = _reading(named.field, parameter)
        certainty *= fits * (1 if named.field.always else weights.SOMETIMES)
        certainty *= 1 if _is_a_thing(named, source) else weights.ATTRIBUTE
        certainty *= weights.ECHO if {wanted, named.words} & source.echoes else 1
        if certainty >= weights.LEAST_FEED:
            yield FieldMatch(parameter.name, path, round(certainty, 4))


def _is_a_thing(named: NamedField, source: ToolShape) -> bool:
    """Whether a field identifies something, is an object, or is what its tool is about.

    Other fields describe something: a `date` that one tool reports is seldom the one that another wants.
    """
    if named.words & _IDENTIFIER_STEMS or "object" in named.field.types | named.field.items:
        return True
    return (named.words & source.words) - _ACTION_STEMS - _GENERAL_STEMS != frozenset()


def name_certainty(wanted: Words, by: Words, named: NamedField, of: Words) -> float:
    """How sure the names make it that an input `wanted` of a tool `by` is this field of a tool `of`."""
    name, containers = named.words, named.containers
    if wanted == name:
        if not wanted <= _GENERAL_STEMS:
            return weights.SAME_NAME if len(wanted) > 1 else weights.SAME_WORD
        is_one_thing = (containers | of) & by - _ACTION_STEMS - _GENERAL_STEMS
        return weights.SAME_THING if is_one_thing else weights.SAME_GENERAL
    if name and name < wanted and wanted - name <= (containers | of) - _ACTION_STEMS:
        return weights.QUALIFIED if wanted - name <= containers else weights.QUALIFIED_BY_TOOL
    if wanted and wanted < name and name - wanted <= (by - _ACTION_STEMS) | {"id"}:
        return weights.QUALIFIED_BY_TOOL
    if name <= _WRAPPER_STEMS and wanted <= of and not wanted <= _GENERAL_STEMS:
        return weights.RESULT_OF
    return 0.0


def _reading(place: SchemaField, parameter: Input) -> tuple[Steps, float]:
    """The path that reads a field as the parameter wants it, and how well its type fits: 0 if not at all."""
    first = tuple(0 if isinstance(step, Every) else step for step in place.path)
    one = weights.FIRST_ITEM if first != place.path else 1.0
    if parameter.choices:
        return first, 0.0
    if parameter.types == {"array"}:
        if place.types == {"array"}:
            return first, one * _compatible(place.items, parameter.items)
        return place.path, _compatible(place.types, parameter.items) if first != place.path else 0.0
    if place.types == {"array"} and parameter.types:
        return (*first, 0), weights.FIRST_ITEM * _compatible(place.items, parameter.types)
    return first, one * _compatible(place.types, parameter.types)


def _compatible(actual: frozenset[str], wanted: frozenset[str]) -> float:
    if not actual or not wanted:
        return weights.UNKNOWN_TYPE
    accepted = wanted | ({"integer"} if "number" in wanted else set())
    return 1.0 if actual <= accepted else 0.0


def _can_be_written(path: Steps) -> bool:
    """Whether a reference with this path reads back as it is; names with braces do not."""
    reference = OutputReference("task", path)
    try:
        return (
            "{" not in str(reference)
            and "}" not in str(reference)
            and parse_reference(str(reference)) == reference
        )
    except RefusedError:
        return False


def is_general(name: str) -> bool:
    """Whether many things have a name like this one, so that an equal name says little."""
    return name_words(name) <= _GENERAL_STEMS
