"""`memory_get` and `memory_health`: what is there, and how it is."""

import json
from datetime import datetime
from typing import Any

from recollect import clock
from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.graph.causal import edges_of
from recollect.records.body import body
from recollect.records.display import one_line, safe_text
from recollect.records.fields import Count, Field, Flag, Listing, Text
from recollect.records.record import Memory
from recollect.server import budget
from recollect.server.arguments import Ask
from recollect.server.reply import (
    CURSOR,
    IN_BUDGET,
    IN_CURSOR,
    NO_TABLE,
    ToolReply,
    edge_row,
    told_link,
)

GET_TAKES = (Field("id", Text(min_length=1), "of a memory"), IN_BUDGET, IN_CURSOR)
GET_GIVES = (
    Field("id", Text(), "", required=True),
    Field("path", Text(), "", required=True),
    Field("version", Text(), "", required=True),
    Field("memory", NO_TABLE, ""),
    Field("part", Text(), ""),
    Field("anchors", Listing(NO_TABLE), ""),
    CURSOR,
)
HEALTH_TAKES = (IN_BUDGET, IN_CURSOR)
HEALTH_GIVES = (
    Field("healthy", Flag(), "", required=True),
    Field("memories", Count(), "", required=True),
    Field("project", Text(), "", required=True),
    Field("model", Text(), ""),
    Field("findings", Listing(NO_TABLE), "", required=True),
    CURSOR,
)


def get(recollect: Recollect, ask: Ask) -> ToolReply:
    """One memory, whole; in parts of its JSON when it does not fit."""
    if not ask.text("id"):
        raise RefusedError("memory_get needs the id of a memory, or a cursor.")
    if ask.text("id").startswith("skill:"):
        node, _ = recollect.skill(ask.text("id"))
        raise RefusedError(f"{node.id!r} is a skill; read its file, {node.path!r}.")
    stored = recollect.get(ask.text("id"))
    memory, most = stored.memory, ask.budget(budget.LONG)
    out: dict[str, Any] = {"id": memory.id, "path": stored.path, "version": stored.digest}
    if verdicts := recollect.verdicts(memory):
        out["anchors"] = [{"path": path, "verdict": verdict.value} for path, verdict in verdicts]
    if not ask.offset and budget.tokens(memory.document) <= most:
        return ToolReply(out | {"memory": memory.document}, _sheet(memory, stored.path, recollect.now))
    whole = json.dumps(memory.document, ensure_ascii=False)
    out["part"] = part = whole[ask.offset : ask.offset + int(most * budget.CHARACTERS_PER_TOKEN)]
    left = len(whole) - ask.offset - len(part)
    if left <= 0:
        return ToolReply(out, safe_text(part))
    out["cursor"] = ask.cursor(len(part))
    return ToolReply(
        out, f"{safe_text(part)}\n{left} characters more: call memory_get with the cursor."
    )


def _sheet(memory: Memory, path: str, now: datetime) -> str:
    """A memory, to be read."""
    lines = [f"[{memory.category.label}] {one_line(memory.title)} (id: {memory.id}, {path})"]
    state = [memory.status.value, f"updated {clock.to_text(memory.updated_at)[:10]}"]
    if limit := memory.validity.told(now):
        state.append(limit)
    lines += [", ".join(state) + f", #{' #'.join(one_line(tag) for tag in memory.tags)}"]
    lines += [safe_text(body(memory))]
    lines += [told_link(edge_row(edge)) for edge in edges_of([memory])]
    return "\n".join(lines)


def health(recollect: Recollect, ask: Ask) -> ToolReply:
    """What `recollect doctor` finds; nothing is changed."""
    looks = recollect.look(ask.progress)
    findings = [finding for _, _, found in looks for finding in found]
    rows = [
        {
            "level": finding.level.value,
            "check": finding.check,
            "message": one_line(finding.message),
            "advice": one_line(finding.advice),
        }
        | ({"path": finding.path} if finding.path else {})
        for finding in findings
    ]
    shown = budget.fitting(rows[ask.offset :], ask.budget())
    model = recollect.config.retrieval.model if recollect.finder.embedder else "none"
    out: dict[str, Any] = {
        "healthy": not any(row["level"] == "error" for row in rows),
        "memories": sum(len(patient.scan.stored) for _, patient, _ in looks),
        "project": recollect.identity.name,
        "model": model,
        "findings": shown,
    }
    if ask.offset + len(shown) < len(rows):
        out["cursor"] = ask.cursor(len(shown))
    lines = [f"{row['level']}: {row.get('path', row['check'])}: {row['message']}" for row in shown]
    state = "healthy" if out["healthy"] else "not healthy"
    head = f"Memories: {out['memories']}, {state}. Embedding model: {model}."
    return ToolReply(out, "\n".join([head, *lines]))
