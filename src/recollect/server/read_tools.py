"""`memory_get` and `memory_health`: what is there, and how it is."""

import json
from datetime import datetime

from recollect import clock
from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.graph.causal import edges_of
from recollect.records.body import body
from recollect.records.display import one_line, safe_text
from recollect.records.fields import Field, Text
from recollect.records.record import Memory
from recollect.server import budget
from recollect.server.arguments import Ask
from recollect.server.reply import IN_BUDGET, IN_CURSOR, ToolReply, told_link
from recollect.views.edges import tool_edge
from recollect.views.health import ToolHealthOutput, tool_finding_row
from recollect.views.memories import ToolGetOutput, anchor_rows

GET_TAKES = (Field("id", Text(min_length=1), "of a memory"), IN_BUDGET, IN_CURSOR)
HEALTH_TAKES = (IN_BUDGET, IN_CURSOR)


def get(recollect: Recollect, ask: Ask) -> ToolReply:
    """One memory, whole; in parts of its JSON when it does not fit."""
    if not ask.text("id"):
        raise RefusedError("memory_get needs the id of a memory, or a cursor.")
    if ask.text("id").startswith("skill:"):
        node, _ = recollect.skill(ask.text("id"))
        raise RefusedError(f"{node.id!r} is a skill; read its file, {node.path!r}.")
    stored = recollect.get(ask.text("id"))
    memory, most = stored.memory, ask.budget(budget.LONG)
    out: ToolGetOutput = {"id": memory.id, "path": stored.path, "version": stored.digest}
    if verdicts := recollect.verdicts(memory):
        out["anchors"] = anchor_rows(verdicts)
    if not ask.offset and budget.tokens(memory.document) <= most:
        out["memory"] = memory.document
        return ToolReply(out, _sheet(memory, stored.path, recollect.now))
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
    lines += [told_link(tool_edge(edge)) for edge in edges_of([memory])]
    return "\n".join(lines)


def health(recollect: Recollect, ask: Ask) -> ToolReply:
    """What `recollect doctor` finds; nothing is changed."""
    looks = recollect.look(ask.progress)
    findings = [finding for _, _, found in looks for finding in found]
    rows = [tool_finding_row(finding) for finding in findings]
    shown = budget.fitting(rows[ask.offset :], ask.budget())
    model = recollect.config.retrieval.model if recollect.finder.embedder else "none"
    out: ToolHealthOutput = {
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
