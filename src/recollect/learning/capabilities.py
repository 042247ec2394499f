"""Capabilities: code that worked, with what varies in it as parameters, named and counted. Pure."""

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.gateway.digest import digest
from recollect.gateway.tool import UpstreamTool
from recollect.learning.weights import (
    CAPABILITY_PRIOR,
    RELIABLE,
    RELIABLE_FACTOR,
    UNRELIABLE,
    UNRELIABLE_FACTOR,
)
from recollect.records.json_format import Json

MOST_LEARNED = 200  # capabilities of a project that nobody named
LONGEST_CODE = 2_048  # bytes: what is longer is not kept
_NAME_WORDS, _LONGEST_NAME = 5, 48
_CAPABILITY_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
_WORD = re.compile(r"[a-z][a-z0-9]*")
_SMALL_WORDS = frozenset({"the", "and", "for", "with", "from", "into", "that", "this", "what", "all"})


@dataclass(frozen=True, slots=True)
class Capability:
    """Code that succeeded, its parameters with the values they first had, and how often it was run."""

    name: str
    digest: str
    intent: str
    code: str
    parameters: Mapping[str, Json] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    runs: int = 1
    successes: int = 1
    schemas: Mapping[str, str] = field(default_factory=dict)  # digests by tool, of when it last worked
    named: bool = False  # by a person, who renamed or imported it

    @property
    def success(self) -> float:
        """The smoothed share of runs that succeeded: one lucky run says little."""
        return (self.successes + CAPABILITY_PRIOR) / (self.runs + 2 * CAPABILITY_PRIOR)

    @property
    def reliability(self) -> float:
        """What a suggestion's score is multiplied by."""
        return reliability_of(self.success)


def reliability_of(
    success: float,
    unreliable: float = UNRELIABLE,
    unreliable_factor: float = UNRELIABLE_FACTOR,
    reliable: float = RELIABLE,
    reliable_factor: float = RELIABLE_FACTOR,
) -> float:
    """The factor of a smoothed success rate."""
    if success < unreliable:
        return unreliable_factor
    return reliable_factor if success > reliable else 1.0


def capability_of(
    code: str, intent: str, functions: Mapping[str, str], variables: Mapping[str, Json]
) -> Capability | None:
    """What is kept of code that succeeded; None for code that is too long. `functions` are its tools.

    Literals that tools are called with become parameters, so that the same code with other values is the same
    capability.
    """
    try:
        tree = ast.parse(code)
        taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        literals = _Literals(frozenset(functions), taken | variables.keys())
        normal = ast.unparse(ast.fix_missing_locations(literals.visit(tree)))
        size = len(normal.encode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if size > LONGEST_CODE:
        return None
    tools = tuple(sorted(set(functions.values())))
    code_digest = hashlib.sha256(normal.encode()).hexdigest()
    parameters = {**variables, **literals.parameters}
    return Capability(_name(intent, tools), code_digest, intent, normal, parameters, tools)


def is_name(text: object) -> bool:
    """Whether a capability may have this name: small letters, digits and _, a letter first."""
    return isinstance(text, str) and _CAPABILITY_NAME.fullmatch(text) is not None


def schema_digests(tools: Iterable[UpstreamTool]) -> dict[str, str]:
    """What a capability depends on: the schemas of its tools, as digests by id."""
    return {
        tool.id: digest({"input": tool.input_schema, "output": tool.output_schema}) for tool in tools
    }


def stale_tools(capability: Capability, tools: Mapping[str, UpstreamTool]) -> tuple[str, ...]:
    """The tools of a capability whose schemas changed since it last worked, or which are gone."""
    current = schema_digests(tools[id] for id in capability.schemas if id in tools)
    return tuple(id for id, old in sorted(capability.schemas.items()) if current.get(id) != old)


def ranked(capabilities: Sequence[Capability]) -> list[Capability]:
    """The most reliable first; equal ones by name."""
    return sorted(capabilities, key=lambda each: (-each.success * each.reliability, each.name))


def surplus(capabilities: Sequence[Capability], newest: str) -> list[Capability]:
    """What makes room so that at most MOST_LEARNED remain: the least reliable, then the least run, first.

    Never one that a person named, which does not count, nor the one with the digest `newest`.
    """
    learned = [each for each in capabilities if not each.named]
    droppable = [each for each in learned if each.digest != newest]
    droppable.sort(key=lambda each: (each.success * each.reliability, each.runs, each.name))
    return droppable[: max(len(learned) - MOST_LEARNED, 0)]


def renamed(capability: Capability, taken: frozenset[str]) -> Capability:
    """The capability under a name that no other has."""
    name, number = capability.name, 2
    while name in taken:
        name, number = f"{capability.name}_{number}", number + 1
    return replace(capability, name=name)


class _Literals(ast.NodeTransformer):
    """Puts a name in place of each literal that a tool is called with."""

    def __init__(self, functions: frozenset[str], taken: set[str]) -> None:
        self._functions, self._taken = functions, taken
        self.parameters: dict[str, Json] = {}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._functions:
            for keyword in node.keywords:
                if keyword.arg and isinstance(keyword.value, ast.Constant):
                    keyword.value = self._named(keyword.arg, keyword.value)
        return node

    def _named(self, argument: str, constant: ast.Constant) -> ast.expr:
        value = constant.value
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            return constant
        name, number = argument, 2
        while name in self._taken or self.parameters.get(name, value) != value:
            name, number = f"{argument}_{number}", number + 1
        self.parameters[name] = value
        return ast.Name(name, ast.Load())


def _name(intent: str, tools: Sequence[str]) -> str:
    """A name from what the code is for, else from its tools."""
    words = [
        word for word in _WORD.findall(intent.lower()) if len(word) > 2 and word not in _SMALL_WORDS
    ]
    words = words or [re.sub(r"[^a-z0-9]+", "_", tool.lower()).strip("_") for tool in tools] or ["code"]
    return "_".join(words[:_NAME_WORDS])[:_LONGEST_NAME].strip("_")
