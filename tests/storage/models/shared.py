"""Models to test with: the default one, fetched once; tiny embedders and rerankers, made here."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from recollect.errors import RecollectError
from recollect.storage.models.installed import ModelFolder

WIDTH = 1024
_FLOAT, _INT64, _BOOL = 1, 7, 9


def installed_models(config: pytest.Config) -> Path:
    """A folder in which the default model is installed. Skips the test when it cannot be had.

    It is the one that `RECOLLECT_TEST_MODELS` names, else one in pytest's cache.
    """
    if named := os.environ.get("RECOLLECT_TEST_MODELS"):
        folder = Path(named)
    else:
        assert config.cache is not None, "pytest runs without its cache; set RECOLLECT_TEST_MODELS"
        folder = config.cache.mkdir("recollect-models")
    if ModelFolder(folder).get() is None:
        try:
            ModelFolder(folder).install()
        except RecollectError as error:
            pytest.skip(f"the embedding model cannot be had: {error}")
    return folder


def tiny_model(folder: Path, seed: int = 1, width: int = WIDTH, special: float = 0.0) -> Path:
    """A model of BGE-M3's shape in `folder`: no prefix, 1,024 numbers, the first token's vector counts.

    It knows bytes only: a text is where its bytes are, on average. `special` is what the first and the
    last token add to that, so that it matters how the model is read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {token: number for number, token in enumerate(["<s>", "</s>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(words, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.random.default_rng(seed).standard_normal((len(words), width)).astype(np.float32)
    table[:2] *= special
    (folder / "model.onnx").write_bytes(_model(table))
    return folder


def multilingual_model(folder: Path, meanings: Sequence[Sequence[str]], width: int = WIDTH) -> Path:
    """A model of BGE-M3's shape in `folder` for which words of one meaning are the same in any language.

    Words that have none of these meanings add nothing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {word: number for number, words in enumerate(meanings) for word in words}
    special = [("<s>", 0.0), ("</s>", 0.0), ("<unk>", -20.0)]
    tokenizer = Tokenizer(models.Unigram([*special, *((word, -1.0) for word in numbers)], unk_id=2))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    rows = np.random.default_rng(1).standard_normal((len(meanings), width)).astype(np.float32)
    table = np.zeros((len(special) + len(numbers), width), dtype=np.float32)
    table[len(special) :] = rows[list(numbers.values())]
    (folder / "model.onnx").write_bytes(_model(table))
    return folder


def _model(table: "np.ndarray[tuple[int, int], np.dtype[np.float32]]") -> bytes:
    """An ONNX file: each token's row of the table, and the mean of all rows added to each."""
    nodes = [
        _node("Gather", ["table", "input_ids"], "rows"),
        _node("ReduceMean", ["rows"], "mean", _ints("axes", 1), _int("keepdims", 1)),
        _node("Add", ["rows", "mean"], "last_hidden_state"),
    ]
    weights = b"".join(
        [
            *(_number(1, size) for size in table.shape),
            _number(2, _FLOAT),
            _text(8, "table"),
            _bytes(9, table.tobytes()),
        ]
    )
    graph = b"".join(
        [
            *(_bytes(1, node) for node in nodes),
            _text(2, "tiny"),
            _bytes(5, weights),
            *(_bytes(11, _value(name, _INT64, ["b", "n"])) for name in ("input_ids", "attention_mask")),
            _bytes(12, _value("last_hidden_state", _FLOAT, ["b", "n", table.shape[1]])),
        ]
    )
    opset = _text(1, "") + _number(2, 13)
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, opset)


def endless_model(folder: Path) -> Path:
    """The tiny model in `folder`, with a loop in it that never ends."""
    tiny_model(folder)
    body = b"".join(
        [
            _bytes(1, _node("Identity", ["go_on"], "still")),
            _bytes(1, _node("Identity", ["value"], "same")),
            _text(2, "body"),
            _bytes(11, _value("turn", _INT64, [])),
            _bytes(11, _value("go_on", _BOOL, [])),
            _bytes(11, _value("value", _INT64, ["b", "n"])),
            _bytes(12, _value("still", _BOOL, [])),
            _bytes(12, _value("same", _INT64, ["b", "n"])),
        ]
    )
    loop = _text(1, "body") + _bytes(6, body) + _number(20, 5)
    always = _number(2, _BOOL) + _text(8, "always") + _bytes(9, b"\x01")
    graph = b"".join(
        [
            _bytes(1, _node("Loop", ["", "always", "input_ids"], "looped", loop)),
            _bytes(1, _node("Cast", ["looped"], "last_hidden_state", _int("to", _FLOAT))),
            _text(2, "endless"),
            _bytes(5, always),
            _bytes(11, _value("input_ids", _INT64, ["b", "n"])),
            _bytes(12, _value("last_hidden_state", _FLOAT, ["b", "n"])),
        ]
    )
    opset = _text(1, "") + _number(2, 13)
    (folder / "model.onnx").write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, opset))
    return folder


def reranker_model(folder: Path, words: Sequence[str], outputs: int = 1) -> Path:
    """A cross-encoder in `folder` that knows these words only: a pair's number is how many of them it shares.

    Each occurrence counts. With more `outputs` it says the same more than once, as no reranker does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    numbers = {word: number for number, word in enumerate([*special, *words])}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(_pair_model(outputs))
    return folder


def _pair_model(outputs: int) -> bytes:
    """An ONNX file: equal words on both sides of a pair, counted."""
    float_ = _int("to", _FLOAT)
    nodes = [
        _node("Unsqueeze", ["input_ids"], "rows", _ints("axes", 2)),
        _node("Unsqueeze", ["input_ids"], "columns", _ints("axes", 1)),
        _node("Equal", ["rows", "columns"], "equal"),
        _node("Cast", ["equal"], "same", float_),
        _node("Greater", ["input_ids", "last_special"], "is_known"),
        _node("Cast", ["is_known"], "known", float_),
        _node("Cast", ["token_type_ids"], "second", float_),
        _node("Sub", ["known", "second"], "difference"),
        _node("Relu", ["difference"], "of_query"),  # known and not of the second text
        _node("Unsqueeze", ["of_query"], "query_rows", _ints("axes", 2)),
        _node("Unsqueeze", ["second"], "text_columns", _ints("axes", 1)),
        _node("Mul", ["same", "query_rows"], "from_query"),
        _node("Mul", ["from_query", "text_columns"], "pairs"),
        _node("ReduceSum", ["pairs"], "by_row", _ints("axes", 2), _int("keepdims", 0)),
        _node("ReduceSum", ["by_row"], "score", _ints("axes", 1), _int("keepdims", 1)),
        _node("Concat", ["score"] * outputs, "logits", _int("axis", 1)),
    ]
    last_special = _number(1, 1) + _number(2, _INT64) + _text(8, "last_special")
    last_special += _bytes(9, np.array([3], dtype=np.int64).tobytes())
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    graph = b"".join(
        [
            *(_bytes(1, node) for node in nodes),
            _text(2, "pairs"),
            _bytes(5, last_special),
            *(_bytes(11, _value(name, _INT64, ["b", "n"])) for name in inputs),
            _bytes(12, _value("logits", _FLOAT, ["b", outputs])),
        ]
    )
    opset = _text(1, "") + _number(2, 11)
    return _number(1, 6) + _bytes(7, graph) + _bytes(8, opset)


def _node(kind: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    given = b"".join(_text(1, name) for name in inputs)
    return given + _text(2, output) + _text(4, kind) + b"".join(_bytes(5, one) for one in attributes)


def _int(name: str, value: int) -> bytes:
    return _text(1, name) + _number(3, value) + _number(20, 2)


def _ints(name: str, *values: int) -> bytes:
    return _text(1, name) + b"".join(_number(8, value) for value in values) + _number(20, 7)


def _value(name: str, kind: int, shape: list[str | int]) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    dims = b"".join(_bytes(1, size) for size in sizes)
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, dims)))


def _varint(value: int) -> bytes:
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())
