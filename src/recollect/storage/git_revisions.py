"""Earlier versions of files, as git has them: adapter of `RevisionLog`."""

import re
from collections.abc import Sequence
from pathlib import Path

from recollect.records.revisions import Revision, RevisionTexts
from recollect.storage import git

_UNIT = "\x1f"  # no name and no subject contains it: git removes control characters from subjects
_FORMAT = f"--format=%H{_UNIT}%cI{_UNIT}%an{_UNIT}%s"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


class GitRevisions:
    """The commits that changed a file. Without git, or outside a checkout, there are none."""

    def revisions(self, file: str, limit: int) -> Sequence[Revision]:
        """The last commits that changed a file, the newest first."""
        path = Path(file)
        output = git.ask(path.parent, "log", f"-n{limit}", _FORMAT, "--", path.name)
        rows = [line.split(_UNIT) for line in (output or "").splitlines()]
        return [Revision(*row) for row in rows if len(row) == 4]

    def texts(self, file: str, revision: str) -> RevisionTexts | None:
        """A file before and after a commit; None when no such commit has the file."""
        if not _COMMIT.fullmatch(revision):
            return None
        path = Path(file)
        after = _blob(path, revision)
        before = _blob(path, f"{revision}^")
        return None if after is None and before is None else RevisionTexts(before or "", after or "")


def _blob(path: Path, commit: str) -> str | None:
    """The text of a file at a commit, as it is stored: no filter of the repository runs."""
    return git.ask(path.parent, "cat-file", "blob", f"{commit}:./{path.name}")
