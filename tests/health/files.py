"""Files put into a root past every check, as people and other tools do."""

import json
from pathlib import Path
from typing import Any

from tests.samples import document

from recollect.health.finding import HealthFinding
from recollect.records.categories import Category


def put(root: Path, category: Category = Category.DECISION, **fields: Any) -> Path:
    """Write a memory's file."""
    record = document(category, **fields)
    text = json.dumps(record, indent=2, ensure_ascii=False)
    return write(root, f"{record['id']}.json", text.encode(), category)


def write(root: Path, name: str, data: bytes, category: Category = Category.DECISION) -> Path:
    """Write any bytes into a category's folder."""
    path = root / category.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def of(check: str, findings: list[HealthFinding]) -> list[HealthFinding]:
    """The findings of one check."""
    return [finding for finding in findings if finding.check == check]


def one(check: str, findings: list[HealthFinding]) -> HealthFinding:
    """The only finding of one check."""
    (found,) = of(check, findings)
    return found
