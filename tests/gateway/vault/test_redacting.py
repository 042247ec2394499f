"""The redaction gate over a result."""

from recollect.gateway.vault.content import BinaryPart, JsonPart, TablePart, TextPart
from recollect.gateway.vault.redacting import redacted_parts
from recollect.records.json_format import Json
from recollect.redaction.gate import gate

KEY = "ghp_" + "a1B2c3D4e5F6" * 3
MAIL = "ada.byron@analytical-engines.co.uk"


def test_secrets_in_every_kind_of_part_are_removed_and_counted() -> None:
    parts, removed = redacted_parts(
        [
            JsonPart({"user": {"token": KEY, "id": 1}}),
            TextPart(f"the key is {KEY} and more"),
            TablePart(f"id,name,mail\n1,ada,{MAIL}", ","),
            BinaryPart(b"data", "image/png"),
        ],
        gate,
    )

    assert KEY not in str(parts)
    assert MAIL not in str(parts)
    assert parts[3] == BinaryPart(b"data", "image/png")
    assert sum(int(kind.split(" x ")[0]) for kind in removed) == 3


def test_a_large_document_is_redacted_too_and_stays_a_document() -> None:
    rows: list[Json] = [{"id": number, "title": "A title", "ok": True} for number in range(20_000)]
    document: Json = {"rows": rows, "settings": {"password": "swordfish-7", "key": KEY}}

    (part,), removed = redacted_parts([JsonPart(document)], gate)

    assert isinstance(part, JsonPart)
    assert isinstance(part.value, dict)
    assert part.value["rows"] == rows
    assert "swordfish" not in str(part.value["settings"])
    assert KEY not in str(part.value["settings"])
    assert len(removed) == 2
