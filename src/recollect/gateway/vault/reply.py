"""What an agent gets in place of a large result: a handle, with shape, size and preview of each part."""

from collections.abc import Mapping, Sequence

from recollect.gateway.vault.content import (
    BinaryPart,
    JsonPart,
    StoredPart,
    StoredResult,
    TablePart,
    csv_line,
    csv_rows,
    parts_of,
    valid,
)
from recollect.gateway.vault.projection import projected
from recollect.gateway.vault.shape import abridged, shape
from recollect.records.json_format import Json, JsonObject
from recollect.text.token_estimate import characters, tokens_of, tokens_of_text

RESULT_TOKENS = 4_000  # a larger result is stored; harnesses warn at 10,000 and cut at 25,000
_PREVIEW_TOKENS = 600
_SMALL_TOKENS = 1_000  # of parts that stay beside a note
_SHOWN_PARTS = 10
# A model sees a picture at about this price whatever its bytes; above 5 MB no provider takes it.
_IMAGE_TOKENS, _LARGEST_IMAGE = 1_600, 5_000_000
META_HANDLE, META_PROJECTION = "recollect/handle", "recollect/projection"
_PROJECTED_TOKENS = 2_000  # as much as one read


def cost(result: JsonObject) -> int:
    """About how many tokens a result costs the model that reads it."""
    blocks = result.get("content")
    total = sum(_block_cost(block) for block in (blocks if isinstance(blocks, list) else []))
    structured = result.get("structuredContent")
    return max(total, tokens_of(structured)) if structured is not None else total


def _block_cost(block: Json) -> int:
    match block:
        case {"type": "image", "data": str(data)} if len(data) <= _LARGEST_IMAGE:
            return _IMAGE_TOKENS
        case {"type": "text", "text": str(text)}:
            return tokens_of_text(text)
        case _:
            return tokens_of(block)


def stored_reply(
    result: JsonObject,
    stored: StoredResult,
    redacted: Sequence[str] = (),
    fields: Sequence[str] = (),
) -> JsonObject:
    """A result in which a note with the handle replaces what is large; small parts and links stay.

    With the `fields` of a projection the previews show these.
    """
    projections = _projections(stored, fields)
    note: Json = {"type": "text", "text": _note(cost(result), stored, redacted, projections)}
    meta = result.get("_meta")
    ours: JsonObject = {META_HANDLE: stored.handle}
    ours |= {META_PROJECTION: list(fields)} if projections else {}
    return {
        "content": [note, *_small_blocks(result)],
        "isError": bool(result.get("isError")),
        "_meta": {**(meta if isinstance(meta, dict) else {}), **ours},
    }


def _projections(stored: StoredResult, fields: Sequence[str]) -> dict[int, str]:
    """What the previews of the parts that have one of the fields show, by the number of the part."""
    parts = stored.parts[:_SHOWN_PARTS] if fields else ()
    most = characters(_PROJECTED_TOKENS) // min(max(len(parts), 1), 4)
    texts = {part.number: projected(part.part, fields, most) for part in parts}
    names = ", ".join(fields)
    return {
        number: f"projection: only {names}; everything else is stored, and read_result reads it\n{text}"
        for number, text in texts.items()
        if text
    }


def _small_blocks(result: JsonObject) -> list[Json]:
    """The content blocks that stay, in their order: the cheapest, as far as they fit."""
    blocks = result.get("content")
    listed = blocks if isinstance(blocks, list) else []
    numbers = {number for number, _ in parts_of(result)}
    numbers |= {number for number, block in enumerate(listed) if _is_link(block)}
    costs = sorted((_block_cost(listed[number]), number) for number in numbers if number is not None)
    room, small = _SMALL_TOKENS, set()
    for price, number in costs:
        room -= price
        if room >= 0:
            small.add(number)
    return [block for number, block in enumerate(listed) if number in small]


def _is_link(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") == "resource_link"


def _note(
    tokens: int, stored: StoredResult, redacted: Sequence[str], projections: Mapping[int, str]
) -> str:
    parts = stored.parts
    lines = [
        f"The result has about {tokens:,} tokens and is stored as {stored.handle}. "
        "read_result reads it by path, range or search."
    ]
    if redacted:
        lines.append(f"Redacted in what is stored: {', '.join(redacted)}.")
    most = characters(_PREVIEW_TOKENS) // min(max(len(parts), 1), 4)
    lines += [
        described(part, most, numbered=len(parts) > 1, preview=projections.get(part.number, ""))
        for part in parts[:_SHOWN_PARTS]
    ]
    if len(parts) > _SHOWN_PARTS:
        lines.append(f"… and {len(parts) - _SHOWN_PARTS} more parts, up to part {parts[-1].number}.")
    return "\n".join(lines)


def described(stored: StoredPart, most: int, *, numbered: bool, preview: str = "") -> str:
    """Kind, size, shape and preview of one part; a preview of ours has at most `most` characters."""
    part = stored.part
    number = f"part {stored.number}: " if numbered else ""
    name = f", {part.name}" if part.name else ""
    if isinstance(part, BinaryPart):
        place = f"file {stored.file}" if stored.file else "stored in the database"
        return f"{number}{part.mime}{name}, {stored.size:,} bytes, {place}"
    if isinstance(part, JsonPart):
        size = f"JSON{name}, {stored.size:,} bytes"
        shown = preview or f"preview: {abridged(part.value, most)}"
        return f"{number}{size}\nshape: {shape(part.value)}\n{shown}"
    if isinstance(part, TablePart):
        rows = csv_rows(part.text, part.delimiter)
        size = f"table{name}, {len(rows) - 1:,} rows, {stored.size:,} bytes"
        head = _head([csv_line(row, part.delimiter) for row in rows[:6]], most)
        shown = preview or f"preview:\n{head}"
        return f"{number}{size}\ncolumns: {_cut(csv_line(rows[0], ','), 600)}\n{shown}"
    lines = part.text.split("\n")
    size = f"text{name}, {len(lines):,} lines, {stored.size:,} bytes"
    return f"{number}{size}\npreview:\n{_ends(part.text, most)}"


def _head(lines: Sequence[str], most: int) -> str:
    return _cut("\n".join(lines), most)


def _ends(text: str, most: int) -> str:
    """The beginning and the end of a text: the outcome of a log stands at its end."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head]}\n… {len(text) - most:,} characters …\n{text[len(text) - (most - head) :]}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def cut_reply(result: JsonObject, budget: int, reason: str) -> JsonObject:
    """A result cut to the budget because it could not be stored, with the reason in front."""
    tokens = cost(result)
    note = f"The result has about {tokens:,} tokens; only its beginning follows, because {reason}"
    room = characters(budget)
    content: list[Json] = [{"type": "text", "text": note}]
    blocks = result.get("content")
    listed = list(blocks) if isinstance(blocks, list) else []
    if result.get("structuredContent") is not None and not any(_is_text(block) for block in listed):
        listed.append({"type": "text", "text": abridged(result["structuredContent"], room)})
    for block in listed:
        if room <= 0:
            break
        if _is_text(block) and isinstance(block, dict):
            text = valid(str(block["text"]))
            content.append({**block, "text": _cut(text, max(room, 2))})
            room -= len(text)
        elif characters(_block_cost(block)) <= room:
            content.append(block)
            room -= characters(_block_cost(block))
    return {"content": content, "isError": bool(result.get("isError"))}


def _is_text(block: Json) -> bool:
    return (
        isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    )
