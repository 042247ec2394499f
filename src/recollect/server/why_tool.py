"""`memory_why`: what led to a memory, with the evidence of each link, and what became of it."""

from datetime import datetime
from typing import Any

from recollect import clock
from recollect.app.project import Recollect
from recollect.graph.causal import Edge
from recollect.graph.why import DEPTH, Why, WhyStep, grounds, since
from recollect.records.display import one_line
from recollect.records.fields import Count, Field, Flag, Listing, Table, Text
from recollect.records.record import Memory, Status
from recollect.server import budget
from recollect.server.arguments import Ask
from recollect.server.reply import IN_BUDGET, NO_TABLE, ToolReply, edge_row, told_link

TAKES = (
    Field("id", Text(min_length=1), "of a memory, or a question", required=True),
    Field("depth", Count(), "how many links back; default 3, at most 10"),
    IN_BUDGET,
)
_STEP = (
    Field("from", Text(), "", required=True),
    Field("type", Text(), "", required=True),
    Field("to", Text(), "", required=True),
    Field("reason", Text(), ""),
    Field("title", Text(), ""),
    Field("evidence", Text(), ""),
    Field("depth", Count(), ""),
)
GIVES = (
    Field("id", Text(), "", required=True),
    Field("title", Text(), "", required=True),
    Field("valid", Flag(), "", required=True),
    Field("steps", Listing(Table(_STEP)), "", required=True),
    Field("superseded_by", Listing(NO_TABLE), ""),
    Field("contradictions", Listing(NO_TABLE), ""),
    Field("more", Flag(), ""),
)


def explain(recollect: Recollect, ask: Ask) -> ToolReply:
    """The causal path back from a memory, or from the best answer to a question."""
    found = recollect.graphs.why(ask.text("id"), ask.given.get("depth") or DEPTH, ask.progress)
    told = found.why
    rows = budget.fitting([_step(step, told, recollect.now) for step in told.steps], ask.budget())
    out: dict[str, Any] = {
        "id": told.memory.id,
        "title": one_line(told.memory.title),
        "valid": told.memory.validity.holds(recollect.now),
        "steps": rows,
    }
    if told.more or len(rows) < len(told.steps):
        out["more"] = True
    if told.successors:
        out["superseded_by"] = [_successor(edge, told) for edge in told.successors]
    if told.contradictions:
        out["contradictions"] = [_against(edge, told) for edge in told.contradictions]
    if own := _grounds(told.memory):
        out["grounds"] = own
    if found.others:
        out["others"] = [id.removeprefix("mem:") for id in found.others]
    if found.commits:
        out["commits"] = {commit: one_line(text) for commit, text in found.commits}
    return ToolReply(out, _told(out))


def _step(step: WhyStep, told: Why, now: datetime) -> dict[str, Any]:
    row = edge_row(step.edge) | {"reason": step.there.removeprefix("mem:"), "depth": step.depth}
    if step.seen != "first":
        row["seen"] = step.seen
    if (reason := told.known.get(step.there)) is None:
        return row
    row["title"] = one_line(reason.title)
    if reason.valid_to is not None:
        row["valid_to"] = clock.to_text(reason.valid_to)
    if limit := reason.validity.told(now):
        row["validity"] = limit
    if reason.status is not Status.ACTIVE:
        row["status"] = reason.status.value
    if step.seen == "first" and (found := _grounds(reason)):
        row["grounds"] = found
    return row


def _grounds(memory: Memory) -> list[dict[str, Any]]:
    return [{"kind": one.kind, "where": one_line(one.where)} for one in grounds(memory)]


def _successor(edge: Edge, told: Why) -> dict[str, Any]:
    """What superseded the memory, or what superseded that in turn."""
    row: dict[str, Any] = {"id": edge.source.removeprefix("mem:")}
    if edge.target != told.memory.unified_id:
        row["of"] = edge.target.removeprefix("mem:")
    if (newer := told.known.get(edge.source)) is not None:
        row["title"] = one_line(newer.title)
    if (at := since(edge, told.known)) is not None:
        row["at"] = clock.to_text(at)
    return row | {"evidence": one_line(edge.evidence)} if edge.evidence else row


def _against(edge: Edge, told: Why) -> dict[str, Any]:
    other = told.known.get(edge.other(told.memory.unified_id))
    return edge_row(edge) | ({"title": one_line(other.title)} if other else {})


def _told(out: dict[str, Any]) -> str:
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


def _told_step(row: dict[str, Any]) -> str:
    marks = [row["status"]] if row.get("status") else []
    marks += [row["validity"]] if row.get("validity") else []
    marks += ["a circle"] if row.get("seen") == "circle" else []
    marks += ["as above"] if row.get("seen") == "again" else []
    return told_link(row) + (f" [{', '.join(marks)}]" if marks else "") + _from(row)


def _from(row: dict[str, Any]) -> str:
    found = [f"{one['kind']} {one['where']}" for one in row.get("grounds", ())]
    return f" <- {'; '.join(found)}" if found else ""
