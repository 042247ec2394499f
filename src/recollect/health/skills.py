"""The checks on the skill graph: links that lead nowhere, in it and across to memories."""

from collections.abc import Iterator

from recollect.health.finding import HealthFinding, Level
from recollect.health.subject import Subject
from recollect.ids import as_memory, as_skill
from recollect.records.record import Status


def broken_links(patient: Subject) -> Iterator[HealthFinding]:
    """Links of skills that lead to nothing, or the wrong way."""
    for link in patient.skills.broken if patient.skills else ():
        yield HealthFinding(
            "skill-link",
            Level.WARNING,
            f"the link {link.target!r}: {link.reason}",
            "Mend the link, or take it out of the skill.",
            link.path,
            link.line,
        )


def crossing(patient: Subject) -> Iterator[HealthFinding]:
    """Skills that describe or govern memories which are gone, or out of use."""
    if patient.skills is None:
        return
    memories, known = patient.memories, patient.store.taken() | patient.elsewhere
    for edge in patient.skills.crossing:
        target = str(as_memory(edge.target))
        path = patient.skills.nodes[edge.source].path
        if target not in known:
            yield HealthFinding(
                "skill-link",
                Level.WARNING,
                f"'{edge.type.value} {edge.target}' leads to no memory",
                "Mend the front matter of the skill; `recollect list` shows the ids.",
                path,
            )
        elif target in memories and memories[target].status is not Status.ACTIVE:
            yield HealthFinding(
                "skill-link",
                Level.NOTE,
                f"'{edge.type.value} {edge.target}' leads to a memory that is {memories[target].status}",
                "Name the memory that took its place, or take it out of the skill's front matter.",
                path,
            )


def dangling_targets(patient: Subject) -> Iterator[HealthFinding]:
    """Links of memories to skills that are not there; nothing is said where there are no skills at all."""
    if patient.skills is None or not patient.skills.nodes:
        return
    for stored in patient.scan.stored:
        for position, link in enumerate(stored.memory.links):
            if as_skill(link.target) and patient.skills.find(link.target) is None:
                yield HealthFinding(
                    "dangling-skill",
                    Level.NOTE,
                    f"'{link.type} {link.target}' leads to no skill in the skill folders here",
                    f"If it is gone: recollect unlink {stored.memory.id} {link.type} {link.target}",
                    stored.path,
                    patient.line(stored.memory, f"links[{position}].target"),
                )


def unread(patient: Subject) -> Iterator[HealthFinding]:
    """Pages of skill folders that are not in the graph, and why."""
    for note in patient.skills.notes if patient.skills else ():
        yield HealthFinding(
            "skill-page",
            Level.NOTE,
            note.reason,
            "Nothing else is affected; `recollect config` shows which folders are read.",
            note.path,
        )
