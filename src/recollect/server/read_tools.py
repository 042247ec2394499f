"""`memory_get` and `memory_health`: read one memory, and check them all."""

import json
from datetime import datetime

from recollect import clock
from recollect.app.gateway import open_gateway
from recollect.app.project import Recollect
from recollect.app.review.queue import review_queue
from recollect.errors import RefusedError
from recollect.graph.causal import edges_of
from recollect.records.body import body
from recollect.records.display import label, one_line, quoted
from recollect.records.field_rows import field_rows
from recollect.records.fields import Field, Flag, Text
from recollect.records.in_force import Force
from recollect.records.json_format import Json
from recollect.records.record import Memory
from recollect.server import budget
from recollect.server.reply import CURSOR, MAX_TOKENS, link_line
from recollect.server.tool import READS, Tool, ToolReply, ToolRequest
from recollect.text.token_estimate import characters
from recollect.views.edges import tool_edge
from recollect.views.health import ToolHealthOutput, tool_finding_row
from recollect.views.memories import ToolGetOutput, anchor_rows

_GET_INPUTS = (Field("id", Text(min_length=1), "of a memory"), MAX_TOKENS, CURSOR)
_HEALTH_INPUTS = (Field("review", Flag(), "list what is waiting for a person"), MAX_TOKENS, CURSOR)


def get(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """One memory in full; when it exceeds the budget, as many of its fields as fit, and a cursor."""
    if not request.text("id"):
        raise RefusedError("memory_get needs the id of a memory, or a cursor.")
    if request.text("id").startswith("skill:"):
        node, _ = recollect.skill(request.text("id"))
        raise RefusedError(f"{node.id!r} is a skill; read its file, {node.path!r}.")
    stored = recollect.get(request.text("id"))
    recollect.traces.read(stored.memory.unified_id)
    memory, most = stored.memory, request.budget(budget.LONG_ANSWER)
    out: ToolGetOutput = {"id": memory.id, "path": stored.path, "version": stored.digest}
    if verdicts := recollect.verdicts(memory):
        out["anchors"] = anchor_rows(verdicts)
    force = recollect.force(memory)
    if reason := force.reason(recollect.now):
        out["not_in_force"] = reason
    if not request.offset and budget.tokens(memory.document) <= most:
        out["memory"] = memory.document
        return ToolReply(out, _page(memory, stored.path, force, recollect.now))
    rows = field_rows(memory.document, characters(most) // 2)
    shown = budget.fitting(rows[request.offset :], most)
    out["fields"] = dict(shown)
    text = "\n".join(f"{name}:\n{quoted(_as_text(value))}" for name, value in shown)
    left = len(rows) - request.offset - len(shown)
    if left <= 0:
        return ToolReply(out, text)
    out["cursor"] = request.cursor(len(shown))
    return ToolReply(out, f"{text}\n{left} fields more: call memory_get with the cursor.")


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _page(memory: Memory, path: str, force: Force, now: datetime) -> str:
    """A memory as text."""
    lines = [f"[{memory.category.label}] {label(memory.title)} (id: {memory.id}, {label(path)})"]
    reason = force.reason(now)
    state = [f"not in force: {reason}" if reason else memory.status.value]
    state += [f"updated {clock.to_text(memory.updated_at)[:10]}"]
    if not reason and (limit := force.label(now)):
        state.append(limit)
    lines += [", ".join(state) + f", #{' #'.join(label(tag) for tag in memory.tags)}"]
    lines += [quoted(body(memory))]
    lines += [link_line(tool_edge(edge)) for edge in edges_of([memory])]
    return "\n".join(lines)


_AGENT = "an agent may look at the list; a person decides, with `recollect review` or on the page"


def _waiting(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """What waits for a person. What would be stored is not shown: it is no memory yet."""
    items = review_queue(recollect, open_gateway(), _AGENT).items()
    rows = [
        {"key": item.key, "kind": item.kind, "title": item.title, "reason": item.reason}
        for item in items
    ]
    shown = budget.fitting(rows[request.offset :], request.budget())
    count = recollect.memory_count
    out: ToolHealthOutput = {
        "healthy": True,
        "memories": count,
        "project": recollect.identity.name,
        "findings": shown,
    }
    if request.offset + len(shown) < len(rows):
        out["cursor"] = request.cursor(len(shown))
    lines = [f"{row['kind']}: {label(row['title'])} ({one_line(row['reason'])})" for row in shown]
    return ToolReply(out, "\n".join([f"Waiting for a person: {len(rows)}. {_AGENT}.", *lines]))


def health(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """The findings of `recollect doctor`, or what is waiting for a person; nothing is changed."""
    if request.arguments.get("review"):
        return _waiting(recollect, request)
    examinations = recollect.upkeep.examine(request.progress)
    findings = [finding for examination in examinations for finding in examination.findings]
    rows = [tool_finding_row(finding) for finding in findings]
    shown = budget.fitting(rows[request.offset :], request.budget())
    model = recollect.config.retrieval.model if recollect.search.uses_model else "none"
    out: ToolHealthOutput = {
        "healthy": not any(row["level"] == "error" for row in rows),
        "memories": sum(examination.count for examination in examinations),
        "project": recollect.identity.name,
        "model": model,
        "findings": shown,
    }
    reranker = recollect.search.reranker
    if reranker:
        out["reranker"] = reranker
    if request.offset + len(shown) < len(rows):
        out["cursor"] = request.cursor(len(shown))
    lines = [
        f"{row['level']}: {one_line(row.get('path', row['check']))}: {row['message']}" for row in shown
    ]
    state = "healthy" if out["healthy"] else "not healthy"
    head = f"Memories: {out['memories']}, {state}. Embedding model: {model}."
    head += f" Reranker: {one_line(reranker)}." if reranker else ""
    return ToolReply(out, "\n".join([head, *lines]))


GET = Tool("memory_get", "Read one memory in full.", _GET_INPUTS, ToolGetOutput, READS, get)
HEALTH = Tool(
    "memory_health",
    "What is wrong with the memories, if anything; or what is waiting for a person.",
    _HEALTH_INPUTS,
    ToolHealthOutput,
    READS,
    health,
)
