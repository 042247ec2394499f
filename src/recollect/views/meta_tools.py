"""What the meta-tools answer: as JSON for programs, as text for an agent."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from recollect.gateway.arguments import example
from recollect.gateway.discovery import Discovery
from recollect.gateway.tool import UpstreamTool
from recollect.ids import as_memory
from recollect.learning.capability_search import CapabilityHit
from recollect.records.display import label, one_line, quoted
from recollect.retrieval.index import Document
from recollect.sandbox.stubs import ToolFunction, signature
from recollect.views.capability_summary import (
    CapabilitySummary,
    capability_line,
    capability_summary,
)

_SUMMARY = 160  # characters of a description in a list


class ToolSummary(TypedDict):
    """A tool that may fit; `parameters` are names, those that are required with a star."""

    id: str
    about: str
    parameters: list[str]
    reads: bool


class ToolsOutput(TypedDict):
    """`discover`: tools best first; `fits` is false when probably none does what was asked.

    `capabilities` are code that worked and fits, best first.
    """

    fits: bool
    confidence: float
    tools: list[ToolSummary]
    capabilities: list[CapabilitySummary]


class ToolMemory(TypedDict):
    """A memory about a tool."""

    id: str
    category: str
    title: str
    body: str


class DescribedTool(TypedDict):
    """How a tool is called; `function` is how code calls it."""

    id: str
    description: str
    reads: bool
    input_schema: Mapping[str, Any]
    output_schema: NotRequired[Mapping[str, Any]]
    observed_output_schema: NotRequired[Mapping[str, Any]]
    example: Any
    function: str
    memories: list[ToolMemory]


class DescribeOutput(TypedDict):
    """`describe`: the tools in the order of the request."""

    tools: list[DescribedTool]


def tools_output(discovery: Discovery, capabilities: Sequence[CapabilityHit] = ()) -> ToolsOutput:
    """What discovery found, in few words."""
    return {
        "fits": discovery.fits,
        "confidence": round(discovery.confidence, 2),
        "tools": [_summary_row(hit.tool) for hit in discovery.hits],
        "capabilities": [capability_summary(hit.capability) for hit in capabilities],
    }


def _summary_row(tool: UpstreamTool) -> ToolSummary:
    about = one_line(tool.about)
    return {
        "id": tool.id,
        "about": about if len(about) <= _SUMMARY else f"{about[:_SUMMARY].rstrip()} …",
        "parameters": _signature(tool.input_schema),
        "reads": bool(tool.hints.read_only),
    }


def _signature(schema: Mapping[str, Any]) -> list[str]:
    properties, required = schema.get("properties"), schema.get("required")
    names = [str(name) for name in properties] if isinstance(properties, Mapping) else []
    return [f"{name}*" if isinstance(required, list) and name in required else name for name in names]


def tools_text(output: ToolsOutput) -> str:
    """A numbered list; the first line warns when nothing fits well."""
    lines = [capability_line(row) for row in output["capabilities"]]
    if not output["tools"]:
        return "\n".join([*lines, "No tool of the connected servers fits."])
    if not output["fits"]:
        lines.append("Probably no tool fits; the closest are:")
    for number, tool in enumerate(output["tools"], start=1):
        kind = " [reads]" if tool["reads"] else ""
        lines.append(
            f"{number}. {label(tool['id'])}({', '.join(map(label, tool['parameters']))}){kind}"
        )
        lines.append(f"   {label(tool['about'])}")
    return "\n".join(lines)


def described_row(
    tool: UpstreamTool, memories: Sequence[Document], observed: Mapping[str, Any] | None = None
) -> DescribedTool:
    """How one tool is called, and what is remembered about it; its declared results before observed ones."""
    row: DescribedTool = {
        "id": tool.id,
        "description": tool.about,
        "reads": bool(tool.hints.read_only),
        "input_schema": tool.input_schema,
        "example": {"tool": tool.id, "arguments": example(tool.input_schema)},
        "function": signature(ToolFunction(tool.id, tool.input_schema)),
        "memories": [memory_row(memory) for memory in memories],
    }
    if tool.output_schema is not None:
        row["output_schema"] = tool.output_schema
    elif observed is not None:
        row["observed_output_schema"] = observed
    return row


def memory_row(memory: Document) -> ToolMemory:
    """A memory that concerns a tool."""
    return {
        "id": as_memory(memory.id) or memory.id,
        "category": memory.category,
        "title": memory.title,
        "body": memory.body,
    }


def describe_text(output: DescribeOutput) -> str:
    """Each tool in a paragraph."""
    return "\n\n".join(_described_text(tool) for tool in output["tools"])


def _described_text(tool: DescribedTool) -> str:
    effect = "only reads: call_read or call" if tool["reads"] else "may change things: call"
    lines = [f"{label(tool['id'])} ({effect})", quoted(tool["description"], "  ")]
    lines.append(f"  arguments: {_compact(tool['input_schema'])}")
    if "output_schema" in tool:
        lines.append(f"  result: {_compact(tool['output_schema'])}")
    if "observed_output_schema" in tool:
        lines.append(f"  result, as observed: {_compact(tool['observed_output_schema'])}")
    lines.append(f"  example: {_compact(tool['example'])}")
    lines.append(f"  in code: await {label(tool['function'])}")
    for memory in tool["memories"]:
        lines.append(
            f"  [{label(memory['category'].upper())}] {label(memory['title'])} (id: {label(memory['id'])})"
        )
        lines.append(quoted(memory["body"], "    "))
    return "\n".join(lines)


def _compact(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
