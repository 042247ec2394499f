"""Results of upstream tools that are too large for a reply: stored, and read piece by piece."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.errors import NotFoundError, StoreError
from recollect.gateway.ports import Vault
from recollect.gateway.vault.content import BinaryPart, StoredPart, StoredResult, parts_of
from recollect.gateway.vault.projection import field_of
from recollect.gateway.vault.reading import Excerpt, ReadRequest, read_part
from recollect.gateway.vault.redacting import redacted_parts
from recollect.gateway.vault.reply import RESULT_TOKENS, cost, cut_reply, described, stored_reply
from recollect.records.json_format import JsonObject
from recollect.records.redaction_port import RedactionGate


@dataclass(frozen=True, slots=True)
class StoredExcerpt:
    """A piece of a stored result as text, the id of the tool that gave the result, and what was read.

    `field` is '' when no single field was read. `text` also says where the piece is and how to continue;
    `piece` has the same in parts.
    """

    tool: str
    text: str
    piece: Excerpt
    handle: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class ResultVault:
    """The vault of a project behind its redaction gate. Results are JSON as MCP sends them."""

    vault: Vault
    gate: RedactionGate

    def keep(
        self,
        tool: str,
        result: JsonObject,
        budget: int = RESULT_TOKENS,
        fields: Sequence[str] = (),
    ) -> JsonObject:
        """The result as the agent gets it: unchanged within the budget, else with a handle.

        With the `fields` of a projection its preview shows these.

        Where it cannot be stored it is cut, and says why: the call itself is never lost.
        """
        if cost(result) <= budget:
            return result
        try:
            parts, redacted = redacted_parts([part for _, part in parts_of(result)], self.gate)
            stored = self.vault.put(tool, parts)
        except StoreError as error:
            return cut_reply(result, budget, f"it could not be stored: {error}")
        return stored_reply(result, stored, redacted, fields)

    def read(self, handle: str, request: ReadRequest, part: int = 0) -> StoredExcerpt:
        """A piece of a stored result, with how to continue. Raises NotFoundError and RefusedError.

        Part 0 is the first that has text.
        """
        stored = self.vault.get(handle)
        chosen = _chosen(stored, part)
        text, piece = _read(stored, chosen, request)
        return StoredExcerpt(stored.tool, text, piece, handle, field_of(chosen.part, request.path))


def _read(stored: StoredResult, chosen: StoredPart, request: ReadRequest) -> tuple[str, Excerpt]:
    """The piece with its place and how to continue in one text, and by itself."""
    if isinstance(chosen.part, BinaryPart):
        text = described(chosen, request.most, numbered=len(stored.parts) > 1)
        return text, Excerpt("", text)
    excerpt = read_part(chosen.part, request)
    number = f"part {chosen.number}, " if len(stored.parts) > 1 else ""
    more = f'\nmore: range "{excerpt.next_range}"' if excerpt.next_range else ""
    where = f"{number}{excerpt.where}"
    return f"{where}\n{excerpt.text}{more}", Excerpt(where, excerpt.text, excerpt.next_range)


def _chosen(stored: StoredResult, part: int) -> StoredPart:
    if 1 <= part <= len(stored.parts):
        return stored.parts[part - 1]
    if part or not stored.parts:
        raise NotFoundError(
            f"{stored.handle!r} has no part {part}; its parts are 1 to {len(stored.parts)}."
        )
    texts = [chosen for chosen in stored.parts if not isinstance(chosen.part, BinaryPart)]
    return (texts or list(stored.parts))[0]
