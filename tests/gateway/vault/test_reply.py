"""What an agent gets in place of a large result."""

from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.vault.documents import VALUES

from recollect.gateway.vault.content import StoredPart, StoredResult, encoded, parts_of
from recollect.gateway.vault.reply import META_HANDLE, cost, cut_reply, stored_reply
from recollect.records.json_format import Json, JsonObject
from recollect.text.token_estimate import tokens_of

HANDLE = "r" + "a" * 24


def stored(result: JsonObject) -> StoredResult:
    parts = [part for _, part in parts_of(result)]
    files = [
        StoredPart(number, part, f"/vault/{number}", len(encoded(part)))
        for number, part in enumerate(parts, 1)
    ]
    return StoredResult(HANDLE, "s:t", tuple(files))


def note(result: JsonObject) -> str:
    content = result["content"]
    assert isinstance(content, list)
    assert isinstance(content[0], dict)
    return str(content[0]["text"])


def text(text: str) -> Json:
    return {"type": "text", "text": text}


def test_a_large_document_becomes_handle_shape_preview_and_size() -> None:
    rows: list[Json] = [{"id": number, "title": f"Issue {number}"} for number in range(5_000)]
    result: JsonObject = {"content": [], "structuredContent": {"issues": rows}, "_meta": {"a": 1}}

    reply = stored_reply(result, stored(result), ["2 x e-mail address"])

    assert f"stored as {HANDLE}" in note(reply)
    assert "shape: {issues: [5000 x {id: int, title: str}]}" in note(reply)
    assert '"title": "Issue 0"' in note(reply)
    assert "Redacted in what is stored: 2 x e-mail address." in note(reply)
    assert reply["_meta"] == {"a": 1, META_HANDLE: HANDLE}
    assert tokens_of(reply) < 1_500


def test_small_parts_and_links_stay_in_their_order_and_an_error_stays_an_error() -> None:
    link: Json = {"type": "resource_link", "uri": "file:///x", "name": "x"}
    result: JsonObject = {
        "content": [text("before"), text("large " * 10_000), link, text("after")],
        "isError": True,
    }

    reply = stored_reply(result, stored(result))

    assert isinstance(reply["content"], list)
    assert reply["content"][1:] == [text("before"), link, text("after")]
    assert "part 2: text, 1 lines, 60,000 bytes" in note(reply)
    assert reply["isError"] is True


def test_the_end_of_a_log_is_in_its_preview() -> None:
    result: JsonObject = {"content": [text("x\n" * 20_000 + "FAILED: 3 tests")]}

    assert "FAILED: 3 tests" in note(stored_reply(result, stored(result)))


def test_a_picture_has_one_price_and_other_data_costs_its_length() -> None:
    data = "A" * 400_000
    picture: JsonObject = {"content": [{"type": "image", "data": data, "mimeType": "image/png"}]}
    sound: JsonObject = {"content": [{"type": "audio", "data": data, "mimeType": "audio/wav"}]}

    assert cost(picture) < 2_000
    assert cost(sound) > 100_000


@given(st.lists(VALUES, max_size=6), VALUES, st.integers(100, 2_000))
def test_a_reply_is_never_large_whatever_the_result(
    blocks: list[Json], structured: Json, budget: int
) -> None:
    content: list[Json] = [*blocks, *(text(str(block) * 50) for block in blocks)]
    result: JsonObject = {"content": content, "structuredContent": structured}

    assert tokens_of(stored_reply(result, stored(result))) < 6_000
    assert tokens_of(cut_reply(result, budget, "the disk is full.")) <= budget * 2 + 300


def test_what_could_not_be_stored_is_cut_with_the_reason() -> None:
    result: JsonObject = {"content": [text("begin " + "x" * 90_000), text("end")]}

    reply = cut_reply(result, 1_000, "the disk is full.")

    assert note(reply).endswith("because the disk is full.")
    assert "begin" in str(reply["content"])
    assert tokens_of(reply) < 1_200
