"""`memory_why`: what led to a memory, with the evidence of each link, and what became of it."""

from collections.abc import Mapping
from typing import Any

from recollect.app.project import Recollect
from recollect.graph.why import DEPTH
from recollect.records.fields import Count, Field, Text
from recollect.server import budget
from recollect.server.arguments import Ask
from recollect.server.reply import IN_BUDGET, ToolReply, told_link
from recollect.views.why import tool_step, tool_why_output

TAKES = (
    Field("id", Text(min_length=1), "of a memory, or a question", required=True),
    Field("depth", Count(), "how many links back; default 3, at most 10"),
    IN_BUDGET,
)


def explain(recollect: Recollect, ask: Ask) -> ToolReply:
    """The causal path back from a memory, or from the best answer to a question."""
    found = recollect.graphs.why(ask.text("id"), ask.given.get("depth") or DEPTH, ask.progress)
    steps = [tool_step(step, found.why, recollect.now) for step in found.why.steps]
    out = tool_why_output(found, budget.fitting(steps, ask.budget()), recollect.now)
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
    lines += [told_link(row) for row in out.get("contradictions", ())]
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
    return told_link(row) + (f" [{', '.join(marks)}]" if marks else "") + _from(row)


def _from(row: Mapping[str, Any]) -> str:
    found = [f"{one['kind']} {one['where']}" for one in row.get("grounds", ())]
    return f" <- {'; '.join(found)}" if found else ""
