"""`memory_why`: what led to a memory, with the evidence of each link, and what became of it."""

from collections.abc import Mapping
from typing import Any

from recollect.app.project import Recollect
from recollect.graph.why import DEPTH
from recollect.records.fields import Count, Field, Text
from recollect.server import budget
from recollect.server.reply import MAX_TOKENS, link_line
from recollect.server.tool import READS, Tool, ToolReply, ToolRequest
from recollect.views.why import ToolWhyOutput, tool_step, tool_why_output

_INPUTS = (
    Field("id", Text(min_length=1), "of a memory, or a question", required=True),
    Field("depth", Count(), "how many links back; default 3, at most 10"),
    MAX_TOKENS,
)


def explain(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """The causal path back from a memory, or from the best answer to a question."""
    depth = request.arguments.get("depth") or DEPTH
    found = recollect.graphs.why(request.text("id"), depth, request.progress)
    steps = [tool_step(step, found.why, recollect.now) for step in found.why.steps]
    out = tool_why_output(found, budget.fitting(steps, request.budget()), recollect.now)
    return ToolReply(out, _told(out))


def _told(out: Mapping[str, Any]) -> str:
    lines = [f"{out['title']} (id: {out['id']}){_from(out)}"]
    lines += [
        (f"{row['of']} " if row.get("of") else "")
        + f"superseded by {row['id']} ({row.get('title', 'gone')})"
        + (f" at {row['at'][:10]}" if row.get("at") else "")
        + (f": {row['evidence']}" if row.get("evidence") else "")
        for row in out.get("superseded_by", ())
    ]
    lines += ["  " * row["depth"] + _told_step(row) for row in out["steps"]]
    lines += [link_line(row) for row in out.get("contradictions", ())]
    lines += [f"commit {commit}: {text}" for commit, text in out.get("commits", {}).items()]
    if not out["steps"]:
        lines.append("No link leads back from it; memory_link adds one.")
    if out.get("others"):
        lines.append(f"Also found for the question: {', '.join(out['others'])}.")
    if any(row.get("seen") == "circle" for row in out["steps"]):
        lines.append("Some of it goes in a circle: each explains the other.")
    if out.get("more"):
        lines.append("There is more; ask with a greater depth or max_tokens.")
    return "\n".join(lines)


def _told_step(row: Mapping[str, Any]) -> str:
    marks = [row["status"]] if row.get("status") else []
    marks += [row["validity"]] if row.get("validity") else []
    marks += ["a circle"] if row.get("seen") == "circle" else []
    marks += ["as above"] if row.get("seen") == "again" else []
    return link_line(row) + (f" [{', '.join(marks)}]" if marks else "") + _from(row)


def _from(row: Mapping[str, Any]) -> str:
    found = [f"{one['kind']} {one['where']}" for one in row.get("grounds", ())]
    return f" <- {'; '.join(found)}" if found else ""


WHY = Tool(
    "memory_why",
    "Why a memory says what it says: the links that lead to it with their evidence, and what superseded it.",
    _INPUTS,
    ToolWhyOutput,
    READS,
    explain,
)
