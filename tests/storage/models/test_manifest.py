"""The models we know by name."""

import re

from tests.requirements import requirement

from recollect.storage.models.manifest import (
    DEFAULT,
    DEFAULT_RERANKER,
    MODEL_FILE,
    MODELS,
    PAIR_TOKENS,
    TOKENIZER_FILE,
    install_command,
)


@requirement("retrieval:models:pinned")
def test_the_default_is_pinned_by_digest_and_the_others_where_digests_are_known() -> None:
    parts = {MODEL_FILE, TOKENIZER_FILE}
    assert MODELS[DEFAULT].digests.keys() == parts
    for model in MODELS.values():
        assert model.digests.keys() in (parts, set())
        for source in model.sources:
            assert source.files.keys() == parts
            assert source.kind == "hub" or "==" in source.place, "a package has one version"
            assert source.kind == "package" or source.place.startswith("https://")
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in model.digests.values())


def test_the_default_can_be_fetched_from_more_than_one_place() -> None:
    assert {source.kind for source in MODELS[DEFAULT].sources} == {"hub", "package"}


def test_the_models_of_the_design_are_known() -> None:
    embedders = {name for name, model in MODELS.items() if model.role == "embedder"}
    assert embedders == {DEFAULT, "bge-m3", "granite-embedding-30m", "all-minilm-l6-v2"}
    bge = MODELS["bge-m3"]
    assert (bge.dimensions, bge.reading.query_prefix, bge.reading.pooling) == (1024, "", "cls")
    for model in MODELS.values():
        assert model.about
        assert model.licence


def test_the_known_rerankers_can_be_fetched_and_read_as_little_as_time_allows() -> None:
    rerankers = [model for model in MODELS.values() if model.role == "reranker"]
    assert DEFAULT_RERANKER in [model.name for model in rerankers]
    for model in rerankers:
        assert model.sources
        assert (model.dimensions, model.reading.longest) == (None, PAIR_TOKENS)


def test_the_command_that_installs_a_model_names_it_and_where_it_must_come_from() -> None:
    assert install_command(DEFAULT) == f"recollect model install {DEFAULT}"
    assert install_command("bge-m3") == "recollect model install bge-m3"
    granite = install_command("granite-embedding-30m")
    assert granite == "recollect model install granite-embedding-30m --from FOLDER"
    assert install_command("my own") == "recollect model install 'my own' --from FOLDER"
    assert (
        install_command("mine", "reranker")
        == "recollect model install mine --role reranker --from FOLDER"
    )
    assert (
        install_command(DEFAULT_RERANKER, "reranker") == f"recollect model install {DEFAULT_RERANKER}"
    )
