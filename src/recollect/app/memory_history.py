"""How a memory became what it is: the changes that it records itself, and its file in git."""

from collections.abc import Sequence

from recollect.app.project import Recollect
from recollect.errors import NotFoundError
from recollect.records.record import Memory
from recollect.records.revisions import Revision, RevisionLog, RevisionTexts
from recollect.storage.git_revisions import GitRevisions

MOST_REVISIONS = 50


def revisions(
    recollect: Recollect, memory: Memory, log: RevisionLog | None = None
) -> Sequence[Revision]:
    """The last changes of a memory's file, the newest first; none where nothing stores them."""
    file, own_log = _file(recollect, memory)
    return (log or own_log).revisions(file, MOST_REVISIONS)


def revision_texts(
    recollect: Recollect, memory: Memory, revision: str, log: RevisionLog | None = None
) -> RevisionTexts:
    """A memory's file before and after a change. Raises NotFoundError for an unknown revision."""
    file, own_log = _file(recollect, memory)
    texts = (log or own_log).texts(file, revision)
    if texts is None:
        raise NotFoundError(f"the history of memory {memory.id!r} has no revision {revision!r}.")
    return texts


def _file(recollect: Recollect, memory: Memory) -> tuple[str, RevisionLog]:
    """A memory's file, and what stores its earlier versions."""
    is_project = recollect.home_of(memory.id) is recollect.memories
    if is_project and recollect.team is not None:
        return f"{memory.category.folder}/{memory.id}.json", recollect.team.revisions
    space = recollect.space if is_project else recollect.user_space
    return str(space.store.root.file(memory.category, memory.id)), GitRevisions()
