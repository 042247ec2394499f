import gzip
import json
from pathlib import Path

import pytest
from tests.redaction.sample_keys import HEX, ISSUED, drawn

from recollect.bench.redaction import measure
from recollect.errors import InvalidError, NotFoundError

KEY = ISSUED["github token"][0]


def rows(path: Path, *found: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in found).encode()))
    return path.parent


def data(folder: Path) -> Path:
    return rows(
        folder / "set" / "cases.jsonl.gz",
        {"text": KEY, "secret": True, "kind": "github"},
        {"text": "nothing at all", "secret": True, "kind": "riddle"},
        {"text": f"commit {drawn(40, HEX)}", "secret": False, "kind": "git"},
        {"text": f"looks like {KEY}", "secret": False, "kind": "github"},
    )


def test_shares_and_the_kinds_that_went_wrong_are_counted(tmp_path: Path) -> None:
    benign = rows(
        tmp_path / "plain" / "lines.jsonl.gz", {"text": "a"}, {"text": f"b {KEY}"}, {"text": "c"}
    )

    found = measure(data(tmp_path), benign)

    assert (found["recall"], found["false_positive_rate"]) == (0.5, 0.5)
    assert found["benign_line_rate"] == pytest.approx(1 / 3, abs=1e-5)
    assert (found["missed"], found["false_positives"]) == ({"riddle": 1}, {"github": 1})


def test_a_folder_that_is_no_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"cases\.jsonl\.gz"):
        measure(tmp_path)
    with pytest.raises(InvalidError, match="'secret' is missing"):
        measure(rows(tmp_path / "x" / "cases.jsonl.gz", {"text": "a", "kind": "b"}))
