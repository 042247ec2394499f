"""Search over tools with a model: what is embedded when, and what is found meanwhile."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path

import pytest
from tests.gateway.tools import CATALOGUE, tool
from tests.requirements import requirement
from tests.storage.models.shared import multilingual_model, tiny_model

from recollect.app.finder import embedder_of
from recollect.app.tool_search import ToolSearch, open_tool_search
from recollect.errors import ModelError
from recollect.gateway.discovery import Discovery
from recollect.gateway.tool import texts_of
from recollect.storage.models.embedder import Embedder, Floats
from recollect.storage.models.installed import ModelFolder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """A model of BGE-M3's shape, which knows bytes only."""
    folder = tmp_path_factory.mktemp("models")
    model = ModelFolder(folder / "installed").install("bge-m3", folder=tiny_model(folder / "tiny"))
    load = embedder_of(model, folder / "vectors")
    assert load is not None
    return load()


class CountingEmbedder:
    """An embedder that remembers which passages it embedded."""

    def __init__(self, embedder: Embedder) -> None:
        self.version, self._embedder, self.texts = embedder.version, embedder, list[str]()

    def query(self, text: str) -> Floats:
        return self._embedder.query(text)

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        self.texts += texts
        return self._embedder.passages(texts)


class FailingEmbedder:
    """An embedder whose model embeds passages, and fails on queries."""

    def __init__(self, embedder: Embedder) -> None:
        self.version, self.passages = embedder.version, embedder.passages

    def query(self, text: str) -> Floats:
        raise ModelError("tiny", "it is damaged", "install it again")


@pytest.fixture
def embedder(tiny: Embedder) -> CountingEmbedder:
    return CountingEmbedder(tiny)


def ids(discovery: Discovery) -> list[str]:
    return [hit.tool.id for hit in discovery.hits]


ADDED = tuple(tool(f"new:report_{word}", f"Write the {word} report.") for word in ("sales", "travel"))


@requirement("gateway:discovery:added-tools")
def test_added_tools_are_found_by_words_at_once_and_by_meaning_once_they_are_embedded(
    embedder: CountingEmbedder,
) -> None:
    search = ToolSearch(CATALOGUE, lambda: embedder)
    search.embed()
    embedder.texts.clear()

    search = ToolSearch([*CATALOGUE, *ADDED], lambda: embedder, search.vectors)
    at_once = search.find("travel report")

    assert ids(at_once)[0] == "new:report_travel"
    assert at_once.hits[0].why.meaning is None
    assert all(hit.why.meaning is not None for hit in at_once.hits if hit.tool in CATALOGUE)
    assert search.vectors is not None
    assert search.vectors.missing == len(ADDED)

    search.embed()

    assert not search.can_embed
    assert all(hit.why.meaning is not None for hit in search.find("travel report").hits)
    assert set(embedder.texts) == {text for added in ADDED for text in astuple(texts_of(added))}


def test_while_most_tools_are_not_embedded_words_decide(embedder: CountingEmbedder) -> None:
    """The best of a few that are embedded would be taken for the best of all."""
    search = ToolSearch(ADDED, lambda: embedder)
    search.embed()

    search = ToolSearch([*CATALOGUE, *ADDED], lambda: embedder, search.vectors)

    assert not search.by_meaning
    assert all(hit.why.meaning is None for hit in search.find("move a file").hits)


def test_a_tool_that_is_gone_leaves_no_vector(embedder: CountingEmbedder) -> None:
    search = ToolSearch(CATALOGUE, lambda: embedder)
    search.embed()

    fewer = ToolSearch(CATALOGUE[:3], lambda: embedder, search.vectors)

    assert fewer.vectors is not None
    assert len(fewer.vectors.known) == 9
    assert fewer.by_meaning
    assert set(ids(fewer.find("file"))) == {known.id for known in CATALOGUE[:3]}


def test_a_model_that_fails_leaves_the_words(embedder: CountingEmbedder) -> None:
    search = ToolSearch(CATALOGUE, lambda: FailingEmbedder(embedder))
    search.embed()

    found = search.find("rename the directories")

    assert ids(found)[0] == "files:move_file"
    assert found.hits[0].why.meaning is None
    assert not search.by_meaning
    assert search.can_embed, "the model may be repaired"


def test_vectors_of_another_model_are_not_used(tmp_path: Path, embedder: CountingEmbedder) -> None:
    search = ToolSearch(CATALOGUE, lambda: embedder)
    search.embed()

    without_model = open_tool_search(CATALOGUE, {"XDG_CACHE_HOME": str(tmp_path)}, previous=search)

    assert not without_model.by_meaning


MULTILINGUAL = (
    tool("kalender:termin_anlegen", "Legt einen neuen Termin im Kalender an.", beginn="Uhrzeit"),
    tool("dateien:datei_umbenennen", "Benennt Dateien und Ordner um."),
    tool("tenki:yohou", "指定した都市の天気予報を取得します。", toshi="都市の名前"),
    tool("honyaku:translate", "文章を別の言語に翻訳します。"),
    tool("mail:send_mail", "Send a message to somebody."),
)


@requirement("gateway:discovery:languages")
@pytest.mark.parametrize("by_meaning", [False, True])
@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("Bitte legen Sie morgen einen Termin in meinem Kalender an", "kalender:termin_anlegen"),
        ("die Ordner umbenennen", "dateien:datei_umbenennen"),
        ("明日の東京の天気予報を教えて", "tenki:yohou"),
        ("この文章を英語に翻訳してください。", "honyaku:translate"),
    ],
)
def test_a_request_in_german_or_japanese_finds_its_tool(
    embedder: CountingEmbedder, request_text: str, expected: str, by_meaning: bool
) -> None:
    search = ToolSearch(MULTILINGUAL, lambda: embedder)
    search.embed()

    found = search.find(request_text, by_meaning=by_meaning)

    assert ids(found)[0] == expected
    assert (found.hits[0].why.meaning is not None) == by_meaning


@pytest.fixture(scope="module")
def multilingual(tmp_path_factory: pytest.TempPathFactory) -> ToolSearch:
    """The catalogue, which is in English, with a model that knows some words of three languages."""
    folder = tmp_path_factory.mktemp("multilingual")
    meanings = [
        ("rename", "umbenennen", "変更"),
        ("directories", "verzeichnisse", "ディレクトリ"),
        ("time", "uhrzeit", "時刻"),
        ("timezone", "zeitzone", "タイムゾーン"),
        ("current", "aktuelle", "現在"),
        ("dependencies", "abhängigkeiten", "依存関係"),
        ("install", "einrichten", "インストール"),
    ]
    made = multilingual_model(folder / "made", meanings)
    model = ModelFolder(folder / "installed").install("bge-m3", folder=made)
    search = ToolSearch(CATALOGUE, embedder_of(model, folder / "vectors"))
    search.embed()
    return search


@requirement("gateway:discovery:languages")
@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("Kannst du die Verzeichnisse umbenennen?", "files:move_file"),
        ("ディレクトリの名前を変更してください", "files:move_file"),
        ("Wie ist die aktuelle Uhrzeit in dieser Zeitzone?", "time:get_current_time"),
        ("現在の時刻を教えて", "time:get_current_time"),
        ("Die Abhängigkeiten einrichten", "npm:npm_install"),
        ("依存関係をインストールして", "npm:npm_install"),
    ],
)
def test_a_multilingual_model_finds_tools_that_are_described_in_another_language(
    multilingual: ToolSearch, request_text: str, expected: str
) -> None:
    assert ids(multilingual.find(request_text))[0] == expected
    assert expected not in ids(multilingual.find(request_text, by_meaning=False))
