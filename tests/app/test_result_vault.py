"""Large results from the call to the last piece that is read."""

import base64
import json
import resource
from contextlib import suppress
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.app.result_vault import ResultVault
from recollect.errors import NotFoundError
from recollect.gateway.vault.reading import ReadRequest
from recollect.gateway.vault.reply import META_HANDLE
from recollect.records.json_format import Json, JsonObject
from recollect.redaction.gate import gate
from recollect.storage.files.vault import FileVault

KEY = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def results(tmp_path: Path) -> ResultVault:
    return ResultVault(FileVault(tmp_path), gate)


def text_result(text: str) -> JsonObject:
    return {"content": [{"type": "text", "text": text}]}


def handle_of(reply: JsonObject) -> str:
    meta = reply["_meta"]
    assert isinstance(meta, dict)
    return str(meta[META_HANDLE])


@requirement("gateway:vault:handles")
def test_a_small_result_is_returned_as_it_came(results: ResultVault, tmp_path: Path) -> None:
    result = text_result(f"a small one with {KEY}")

    assert results.keep("s:t", result) is result
    assert not (tmp_path / "vault").exists()


@requirement("gateway:vault:handles")
def test_nothing_of_a_large_result_is_lost(results: ResultVault) -> None:
    rows: list[Json] = [{"id": number, "name": f"row {number}"} for number in range(5_000)]

    handle = handle_of(results.keep("s:t", text_result(json.dumps(rows))))

    answer = results.read(handle, ReadRequest(path="[4321].name")).text
    assert "row 4321" in answer
    assert "[17].name: name = row 17" in results.read(handle, ReadRequest(search="row 17")).text
    assert 'more: range "' in results.read(handle, ReadRequest()).text


def test_what_is_stored_has_passed_the_gate_and_the_reply_says_so(
    results: ResultVault, tmp_path: Path
) -> None:
    reply = results.keep("s:t", text_result("line\n" * 10_000 + f"token {KEY}"))

    assert "Redacted in what is stored: 1 x" in str(reply)
    assert KEY not in str(reply)
    files = [path.read_text() for path in (tmp_path / "vault").rglob("*") if path.is_file()]
    assert not any(KEY in file for file in files)


def test_binary_content_is_a_file_with_its_type(results: ResultVault) -> None:
    data = bytes(range(256)) * 1_000
    block: Json = {
        "type": "resource",
        "resource": {
            "uri": "x:y",
            "mimeType": "application/pdf",
            "blob": base64.b64encode(data).decode(),
        },
    }

    reply = results.keep("s:t", {"content": [block]})

    content = reply["content"]
    assert isinstance(content, list)
    note = str(content[0])
    assert "application/pdf, x:y, 256,000 bytes, file " in note
    path = note.partition("file ")[2].partition("'")[0]
    assert Path(path).read_bytes() == data
    assert Path(path).suffix == ".pdf"
    assert "application/pdf" in results.read(handle_of(reply), ReadRequest()).text


def test_parts_are_numbered_and_the_first_text_is_the_default(results: ResultVault) -> None:
    blocks: list[Json] = [
        {"type": "audio", "data": "AAAA" * 9_000, "mimeType": "audio/wav"},
        {"type": "text", "text": "first " * 9_000},
        {"type": "text", "text": "second " * 9_000},
    ]
    handle = handle_of(results.keep("s:t", {"content": blocks}))

    assert results.read(handle, ReadRequest(range="c0:5")).text.startswith("part 2, characters 0:5 of ")
    assert "second" in results.read(handle, ReadRequest(), part=3).text
    with pytest.raises(NotFoundError, match="its parts are 1 to 3"):
        results.read(handle, ReadRequest(), part=4)


def test_a_full_disk_cuts_the_result_and_keeps_the_call(
    results: ResultVault,
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        reply = results.keep("s:t", text_result("begin " + "x" * 300_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert "it could not be stored" in str(reply)
    assert "begin" in str(reply)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 300_000,
        "[" * 60_000 + "]" * 60_000,
        "\ud800" * 50_000,
        '{"a": "' + "\\ud83d" * 20_000 + '"}',
        "\0\x1b[2J" * 20_000,
        "a,b\n" * 50_000,
        "\n" * 100_000,
    ],
    ids=["one line", "deep", "surrogates", "escaped surrogates", "controls", "table", "newlines"],
)
def test_a_hostile_result_can_be_stored_read_and_sent(results: ResultVault, text: str) -> None:
    reply = results.keep("s:t", text_result(text))
    handle = handle_of(reply)

    for request in (ReadRequest(), ReadRequest(range="c100:200"), ReadRequest(search="a")):
        results.read(handle, request).text.encode()
    json.dumps(reply["content"], ensure_ascii=False).encode()


def test_many_megabytes_are_stored_and_read(results: ResultVault) -> None:
    line = "the quick brown fox jumps over the lazy dog, number"
    text = "\n".join(f"{line} {number}" for number in range(100_000))
    data = base64.b64encode(bytes(50_000_000)).decode()
    blocks: list[Json] = [
        {"type": "text", "text": text},
        {"type": "audio", "data": data, "mimeType": "audio/wav"},
    ]

    handle = handle_of(results.keep("s:t", {"content": blocks}))

    assert f"{line} 80000" in results.read(handle, ReadRequest(range="80000")).text
    assert "50,000,000 bytes" in results.read(handle, ReadRequest(), part=2).text


@pytest.mark.parametrize("table", ["", "\n\n", '"' + "x" * 300_000, "a,b\n" + "y" * 300_000])
def test_what_is_declared_as_a_table_and_is_none_is_stored_and_read(
    results: ResultVault, table: str
) -> None:
    blocks: list[Json] = [
        {"type": "resource", "resource": {"uri": "x:y", "mimeType": "text/csv", "text": table}},
        {"type": "text", "text": "more " * 9_000},
    ]
    handle = handle_of(results.keep("s:t", {"content": blocks}))

    for request in (ReadRequest(), ReadRequest(path="[*]"), ReadRequest(search="y")):
        with suppress(NotFoundError):
            assert len(results.read(handle, request, part=1).text) < 2 * request.most
