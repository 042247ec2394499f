"""The settings of search, and of what prompts and sessions are given."""

from __future__ import annotations

from recollect.config.section import ConfigSection, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


class RetrievalConfig(ConfigSection):
    enabled: bool = setting(
        True,
        "RECOLLECT_RETRIEVAL",
        "0 adds nothing to a conversation, neither to prompts nor at the start of a session; "
        "searches still work",
    )
    match_strategy: Literal["fts5_bm25", "hybrid", "title_tags"] = setting(
        "fts5_bm25",
        "RECOLLECT_MATCH_STRATEGY",
        "how memories are matched everywhere: fts5_bm25 (words), hybrid (words and meaning) or "
        "title_tags (the earlier keyword scorer); if not set: hybrid where a model is loaded, "
        "otherwise words",
        choices=("fts5_bm25", "hybrid", "title_tags"),
    )
    max_inject: int = setting(
        3,
        "RECOLLECT_MAX_INJECT",
        "how many memories the hook adds to a prompt at most; 0 adds none",
        bounds=(0, 20),
    )
    gist: bool = setting(
        True,
        "RECOLLECT_GIST",
        "1 adds one sentence of each memory below its title in a prompt; 0 adds only the title",
    )
    pinned_characters: int = setting(
        1000,
        "RECOLLECT_PINNED_CHARACTERS",
        "how many characters of pinned memories a session gets at its start; 0 adds none",
        bounds=(0, 8000),
    )
    pinned_days: int = setting(
        90,
        "RECOLLECT_PINNED_DAYS",
        "after how many days without a confirmation `recollect review` asks whether a pinned memory is still "
        "true; 0 never asks",
        bounds=(0, 3650),
    )
    fusion: Literal["score", "rank"] = setting(
        "score",
        "RECOLLECT_FUSION",
        "how rankings are combined: by score or by rank",
        choices=("score", "rank"),
    )
    model: str = setting(
        "snowflake-arctic-embed-s",
        "RECOLLECT_MODEL",
        "the embedding model of hybrid search; `recollect model list` shows them; a project's file may name "
        "only an installed one, not a path",
    )
    reranker: str = setting(
        "none",
        "RECOLLECT_RERANKER",
        "the cross-encoder that corrects the order of the best hits on a running server, or none; `recollect "
        "model install --role reranker` sets it; a project's file may name only an installed one, not a path",
    )
    diverse: bool = setting(
        False,
        "RECOLLECT_GRAPH_MMR",
        "1 reorders hits so that they repeat each other less; off by default, because "
        "measurements showed no gain",
    )
