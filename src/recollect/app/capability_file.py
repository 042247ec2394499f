"""A capability as a file that people review: YAML with the code as a block."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from keyword import iskeyword
from typing import Any

import yaml

from recollect.errors import InvalidError, RefusedError
from recollect.learning.capabilities import Capability, capability_of, is_name
from recollect.learning.ports import CapabilityStore
from recollect.records.redaction_port import RedactionGate
from recollect.sandbox.stubs import function_name

FORMAT, VERSION = "recollect-capability", 1
LONGEST_FILE = 20_000  # characters
_LONGEST_INTENT = 1_000
_DEEPEST = 30
_TOOL = re.compile(r"[^\s:]{1,64}:\S{1,128}")
_ESCAPE = re.compile(r"\\(?:(?P<pair>ud[89ab]..\\ud[c-f]..)|.)")
_FIELDS = {"format", "version", "name", "intent", "parameters", "tools", "code"}


def capability_text(capability: Capability) -> str:
    """What `capability_from` reads back. Counts stay behind: they are of this project."""
    schemas = {tool: capability.schemas.get(tool, "") for tool in capability.tools}
    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": capability.name,
        "intent": capability.intent,
        "parameters": dict(capability.parameters),
        "tools": schemas,
    }
    lines = [f"{key}: {_scalar(value)}" for key, value in head.items()]
    block = "".join(f"  {line}\n" for line in capability.code.split("\n"))
    text = "\n".join([*lines, "code: |-", block])
    try:
        is_readable = yaml.safe_load(text)["code"] == capability.code
    except yaml.YAMLError:
        is_readable = False
    return text if is_readable else "\n".join([*lines, f"code: {_scalar(capability.code)}", ""])


def _scalar(value: object) -> str:
    """A value as JSON that YAML reads alike: it does not join the two halves of a character."""

    def joined(escape: re.Match[str]) -> str:
        if not escape["pair"]:
            return escape[0]
        character = json.loads(f'"{escape[0]}"')
        return f"\\U{ord(character):08x}"

    return _ESCAPE.sub(joined, json.dumps(value))


def capability_from(text: str) -> Capability:
    """Read a file; nobody has run it here. Raises InvalidError that says what is wrong."""
    if len(text) > LONGEST_FILE:
        raise InvalidError(f"the file has more than {LONGEST_FILE:,} characters.")
    try:
        _check_structure(text)
        document = yaml.safe_load(text)
        json.dumps(document, allow_nan=False)
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        raise InvalidError(
            f"the file is not valid YAML with plain values: {' '.join(str(error).split())}"
        ) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidError(f"the file does not begin with `format: {FORMAT}`.")
    if document.get("version") != VERSION:
        raise InvalidError(
            f"version {document.get('version')!r} is unknown; this is version {VERSION}."
        )
    if wrong := _wrong(document):
        raise InvalidError(f"{wrong}.")
    tools: Mapping[str, str] = document["tools"]
    functions = {function_name(tool): tool for tool in tools}
    capability = capability_of(document["code"], document["intent"], functions, document["parameters"])
    if capability is None:
        raise InvalidError("the code is too long, or it is not valid Python.")
    schemas = {tool: schema for tool, schema in tools.items() if schema}
    return replace(capability, name=document["name"], schemas=schemas, runs=0, successes=0)


def import_capability(store: CapabilityStore, text: str, gate: RedactionGate) -> tuple[str, bool]:
    """Add a capability from a file; its name here, and whether it is new.

    Raises InvalidError for a file that is no capability, and RefusedError for one that has a secret, or a
    name that other code has.
    """
    capability = capability_from(text)
    _, findings = gate([text, capability.code, capability.intent, dict(capability.parameters)])
    if findings:
        raise RefusedError("the file contains what looks like a secret; nothing was imported.")
    for known in store.all():
        if known.digest == capability.digest:
            store.rename(known.name, known.name)  # a person wants it now
            return known.name, False
        if known.name == capability.name:
            raise RefusedError(
                f"a capability named {known.name!r} with different code exists; rename or forget it first."
            )
    store.put(replace(capability, named=True))
    return capability.name, True


def _check_structure(text: str) -> None:
    """Raises InvalidError for what makes a small file large or slow to read."""
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidError("the file has an alias (*), which a capability does not need.")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise InvalidError(f"values of the file are nested deeper than {_DEEPEST}.")


def _wrong(document: Mapping[Any, Any]) -> str:
    """What is wrong with the fields; empty if nothing is."""
    if missing := sorted(_FIELDS - document.keys()):
        return f"{missing[0]!r} is missing"
    if unknown := [key for key in document if key not in _FIELDS]:
        return f"unknown field {unknown[0]!r}"
    if not is_name(document["name"]):
        return f"{document['name']!r} is not a valid name: use at most 48 of a-z, 0-9 and _, a letter first"
    if not isinstance(document["intent"], str) or len(document["intent"]) > _LONGEST_INTENT:
        return f"'intent' must be text of at most {_LONGEST_INTENT:,} characters"
    if not isinstance(document["code"], str) or not document["code"].strip():
        return "'code' must be text"
    parameters, tools = document["parameters"], document["tools"]
    if not isinstance(parameters, dict) or not all(map(_is_variable, parameters)):
        return "'parameters' must be an object whose keys are variable names"
    if not isinstance(tools, dict) or not all(_is_tool(*pair) for pair in tools.items()):
        return "'tools' must be an object of tools as SERVER:TOOL with the digests of their schemas"
    return ""


def _is_variable(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier() and not iskeyword(value)


def _is_tool(tool: object, schema: object) -> bool:
    is_digest = isinstance(schema, str) and re.fullmatch(r"([0-9a-f]{64})?", schema) is not None
    return isinstance(tool, str) and _TOOL.fullmatch(tool) is not None and is_digest
