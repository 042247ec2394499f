"""The checks on what sessions left behind: redactions, and rules that take each other's calls."""

from collections.abc import Iterator

from recollect.health.finding import HealthFinding, Level
from recollect.health.subject import Subject

FEW_ITEMS = 20  # of a session; a share of fewer says nothing
HIGH_SHARE = 0.15  # of items with a secret removed; calibration allowed at most so many false ones


def often_redacted(subject: Subject) -> Iterator[HealthFinding]:
    """Sessions in which many items had a secret removed: something prints secrets, or the gate errs."""
    for session in subject.sessions:
        share = session.redacted / session.extracted if session.extracted >= FEW_ITEMS else 0.0
        if share > HIGH_SHARE:
            yield HealthFinding(
                "redaction-rate",
                Level.NOTE,
                f"in session {session.id!r} a secret was removed from {session.redacted} of "
                f"{session.extracted} items ({share:.0%})",
                "Look at them with `recollect session show`. If a tool prints secrets, stop it; if these "
                "are not secrets, `redaction.allow` lets single values pass.",
            )


def overlapping_rules(subject: Subject) -> Iterator[HealthFinding]:
    """Rules that seldom apply, because an earlier one matches the same calls."""
    for first, second in subject.overlapping_rules:
        yield HealthFinding(
            "overlapping-rules",
            Level.NOTE,
            f"the rule {first!r} comes before {second!r} and hides it",
            "Put the narrower rule first, or make the first one narrower; `recollect rules list` shows both.",
        )
