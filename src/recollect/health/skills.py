"""The checks on the skill graph: broken links between skills, and between skills and memories."""

from collections.abc import Iterator

from recollect.health.finding import HealthFinding, Level
from recollect.health.subject import Subject
from recollect.ids import as_memory, as_skill
from recollect.records.record import Status


def broken_links(subject: Subject) -> Iterator[HealthFinding]:
    """Links of skills to missing pages, or in the wrong direction."""
    for link in subject.skills.broken if subject.skills else ():
        yield HealthFinding(
            "skill-link",
            Level.WARNING,
            f"the link {link.target!r}: {link.reason}",
            "Fix the link, or remove it from the skill.",
            link.path,
            link.line,
        )


def crossing(subject: Subject) -> Iterator[HealthFinding]:
    """Skills that describe or govern memories that are deleted or no longer active."""
    if subject.skills is None:
        return
    memories, known = subject.memories, subject.store.taken() | subject.elsewhere
    for edge in subject.skills.crossing:
        target = str(as_memory(edge.target))
        path = subject.skills.nodes[edge.source].path
        if target not in known:
            yield HealthFinding(
                "skill-link",
                Level.WARNING,
                f"'{edge.type.value} {edge.target}' points to a memory that does not exist",
                "Fix the front matter of the skill; `recollect list` shows the ids.",
                path,
            )
        elif target in memories and memories[target].status is not Status.ACTIVE:
            yield HealthFinding(
                "skill-link",
                Level.NOTE,
                f"'{edge.type.value} {edge.target}' points to a memory that is {memories[target].status}",
                "Name the memory that replaced it, or remove the line from the skill's front matter.",
                path,
            )


def dangling_targets(subject: Subject) -> Iterator[HealthFinding]:
    """Links of memories to missing skills; skipped where there are no skills at all."""
    if subject.skills is None or not subject.skills.nodes:
        return
    for stored in subject.scan.stored:
        for position, link in enumerate(stored.memory.links):
            if as_skill(link.target) and subject.skills.find(link.target) is None:
                yield HealthFinding(
                    "dangling-skill",
                    Level.NOTE,
                    f"'{link.type} {link.target}' points to a skill that is not in the skill folders",
                    f"If it was deleted: recollect unlink {stored.memory.id} {link.type} {link.target}",
                    stored.path,
                    subject.line(stored.memory, f"links[{position}].target"),
                )


def unread(subject: Subject) -> Iterator[HealthFinding]:
    """Pages in skill folders that are not in the graph, and why."""
    for note in subject.skills.notes if subject.skills else ():
        yield HealthFinding(
            "skill-page",
            Level.NOTE,
            note.reason,
            "Nothing else is affected; `recollect config` shows which folders are read.",
            note.path,
        )
