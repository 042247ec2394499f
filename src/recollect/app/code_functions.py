"""Which tools and capabilities code can call: those whose function it names, as far as they are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from anyio import to_thread

from recollect.app.dispatch import Dispatcher
from recollect.gateway.tool import UpstreamTool
from recollect.learning.capabilities import Capability
from recollect.learning.ports import CapabilityStore
from recollect.records.json_format import Json, JsonObject
from recollect.sandbox.stubs import ToolFunction, function_name, words_of
from recollect.workflow.task import CAPABILITY

_SIMILAR = 3


@dataclass(frozen=True, slots=True)
class CodeFunctions:
    """The functions of one piece of code, by name. `all_names` are those that other code could call."""

    by_name: Mapping[str, ToolFunction]
    all_names: frozenset[str] = frozenset()
    capabilities: Mapping[str, Capability] = field(
        default_factory=dict
    )  # by what stands for their tool

    def hint(self, error: str) -> str:
        """Functions whose names are close to one that an error of the type checker quotes."""
        unknown = [word for word in words_of(error) if word not in self.all_names]
        similar = {
            name
            for word in unknown
            if "_" in word
            for name in get_close_matches(word, self.all_names, n=_SIMILAR, cutoff=0.8)
        }
        return f"\nFunctions with a similar name: {', '.join(sorted(similar))}" if similar else ""


async def code_functions(dispatcher: Dispatcher, store: CapabilityStore, code: str) -> CodeFunctions:
    """The tools and capabilities that a source names. Two tools with one function name have none."""
    words = words_of(code)
    tools = _unambiguous(await dispatcher.tools())
    used = {name: tool for name, tool in tools.items() if name in words}
    outputs = await dispatcher.outputs(list(used.values()))
    functions = {
        name: ToolFunction(tool.id, tool.input_schema, outputs.get(tool.id), tool.description)
        for name, tool in used.items()
    }
    known = CodeFunctions(functions, frozenset(tools))
    return and_capabilities(known, await to_thread.run_sync(store.all), code)


def and_capabilities(
    functions: CodeFunctions, capabilities: Sequence[Capability], code: str
) -> CodeFunctions:
    """Functions with those of capabilities that a source names; a tool of the same name comes first."""
    words = words_of(code)
    by_name = {
        name: (id, each)
        for each in capabilities
        if (name := function_name(id := f"{CAPABILITY}{each.name}")) not in functions.all_names
    }
    called = {name: pair for name, pair in by_name.items() if name in words}
    added = {name: _function(id, capability) for name, (id, capability) in called.items()}
    return CodeFunctions(
        {**functions.by_name, **added}, functions.all_names | by_name.keys(), dict(called.values())
    )


def _function(id: str, capability: Capability) -> ToolFunction:
    """A capability as a function: every parameter may be left out, and has the type of its first value."""
    properties = {name: _schema(value) for name, value in capability.parameters.items()}
    return ToolFunction(id, {"properties": properties}, None, capability.intent)


def _schema(value: Json) -> JsonObject:
    kinds = {str: "string", bool: "boolean", int: "number", float: "number"}
    return {"type": kinds[type(value)]} if type(value) in kinds else {}


def _unambiguous(tools: Sequence[UpstreamTool]) -> dict[str, UpstreamTool]:
    by_name: dict[str, list[UpstreamTool]] = {}
    for tool in tools:
        by_name.setdefault(function_name(tool.id), []).append(tool)
    return {name: same[0] for name, same in by_name.items() if len(same) == 1}
