"""Which tools code can call: those whose function it names, with what is known of their results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from recollect.app.dispatch import Dispatcher
from recollect.gateway.tool import UpstreamTool
from recollect.sandbox.stubs import ToolFunction, function_name, words_of

_SIMILAR = 3


@dataclass(frozen=True, slots=True)
class CodeFunctions:
    """The functions of one piece of code, by name. `all_names` are those that other code could call."""

    by_name: Mapping[str, ToolFunction]
    all_names: frozenset[str] = frozenset()

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


async def code_functions(dispatcher: Dispatcher, code: str) -> CodeFunctions:
    """The tools of the catalogue that a source names. Two tools with one function name have none."""
    words = words_of(code)
    tools = _unambiguous(await dispatcher.tools())
    used = {name: tool for name, tool in tools.items() if name in words}
    outputs = await dispatcher.outputs(list(used.values()))
    functions = {
        name: ToolFunction(tool.id, tool.input_schema, outputs.get(tool.id), tool.description)
        for name, tool in used.items()
    }
    return CodeFunctions(functions, frozenset(tools))


def _unambiguous(tools: Sequence[UpstreamTool]) -> dict[str, UpstreamTool]:
    by_name: dict[str, list[UpstreamTool]] = {}
    for tool in tools:
        by_name.setdefault(function_name(tool.id), []).append(tool)
    return {name: same[0] for name, same in by_name.items() if len(same) == 1}
