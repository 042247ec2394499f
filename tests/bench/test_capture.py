"""`bench capture` counts what the detector finds in labelled messages."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.bench.capture import measure
from recollect.errors import InvalidError, NotFoundError

RULE = "From now on always run the linter before you commit."


def message(text: str, span: str = "", **fields: Any) -> dict[str, Any]:
    label = {"durable": bool(span), "span": span or None, "strength": "explicit" if span else None}
    return {"id": "m", "repo": "r", "text": text, "doubt": False, **label, **fields}


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    with gzip.open(folder / "messages.jsonl.gz", "wt") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


@requirement("working:statements:bench")
def test_precision_recall_and_the_right_sentence_are_counted(tmp_path: Path) -> None:
    out = measure(
        write(
            tmp_path,
            message(f"Add a page. {RULE}", RULE),
            message("The icon looks odd to me.", "The icon looks odd to me.", strength="implied"),
            message("Never push to main directly, because it deploys."),
            message("fix the test"),
            message("We never mock the clock, always pass it in.", doubt=True),
        )
    )

    assert (out["precision"], out["recall"]) == (0.3333, 0.5)
    assert out["span_overlap"] == 1.0
    assert (out["explicit_recall"], out["implied_recall"]) == (1.0, 0.0)
    assert out["without_doubt"]["precision"] == 0.5
    assert 0 < out["left_out"]["f1"] < 1


def test_another_sentence_than_the_labelled_one_does_not_overlap(tmp_path: Path) -> None:
    out = measure(
        write(tmp_path, message(f"{RULE} The hamster is called Bo.", "The hamster is called Bo."))
    )

    assert (out["recall"], out["span_overlap"]) == (1.0, 0.0)


def test_a_missing_set_and_a_wrong_line_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="messages"):
        measure(tmp_path)
    with pytest.raises(InvalidError, match="line 1: 'text' is missing"):
        measure(write(tmp_path, {"durable": False}))
