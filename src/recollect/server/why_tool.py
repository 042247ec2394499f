"""`memory_why`: what led to a memory, with the evidence of each link, and what superseded it."""

from collections.abc import Mapping
from typing import Any

from recollect.app.project import Recollect
from recollect.graph.why import DEPTH
from recollect.records.display import label
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
    answer = recollect.graphs.why(request.text("id"), depth, request.progress)
    steps = [tool_step(step, answer.why, recollect.now) for step in answer.why.steps]
    out = tool_why_output(answer, budget.fitting(steps, request.budget()), recollect.now)
    return ToolReply(out, _text(out))


def _text(out: Mapping[str, Any]) -> str:
    mark = f" [not in force: {label(out['not_in_force'])}]" if out.get("not_in_force") else ""
    lines = [f"{label(out['title'])} (id: {out['id']}){mark}{_grounds(out)}"]
    lines += [
        (f"{row['of']} " if row.get("of") else "")
        + f"superseded by {row['id']} ({label(row.get('title', 'gone'))})"
        + (f" at {row['at'][:10]}" if row.get("at") else "")
        + (f": {label(row['evidence'])}" if row.get("evidence") else "")
        for row in out.get("superseded_by", ())
    ]
    lines += ["  " * row["depth"] + _step_line(row) for row in out["steps"]]
    lines += [link_line(row) for row in out.get("contradictions", ())]
    lines += [
        f"commit {label(commit)}: {label(text)}" for commit, text in out.get("commits", {}).items()
    ]
    if not out["steps"]:
        lines.append("No link leads to it; memory_link adds one.")
    if out.get("others"):
        lines.append(f"Also found for the question: {', '.join(out['others'])}.")
    if any(row.get("seen") == "circle" for row in out["steps"]):
        lines.append("Some links form a cycle: each memory explains the other.")
    if out.get("more"):
        lines.append("There is more; increase depth or max_tokens.")
    return "\n".join(lines)


def _step_line(row: Mapping[str, Any]) -> str:
    limit = label(row.get("not_in_force") or row.get("validity") or "")
    marks = [limit] if limit else []
    marks += ["a circle"] if row.get("seen") == "circle" else []
    marks += ["as above"] if row.get("seen") == "again" else []
    return link_line(row) + (f" [{', '.join(marks)}]" if marks else "") + _grounds(row)


def _grounds(row: Mapping[str, Any]) -> str:
    grounds = [f"{ground['kind']} {label(ground['where'])}" for ground in row.get("grounds", ())]
    return f" <- {'; '.join(grounds)}" if grounds else ""


WHY = Tool(
    "memory_why",
    "Why a memory says what it says: the links to it with evidence, and what superseded it.",
    _INPUTS,
    ToolWhyOutput,
    READS,
    explain,
)
