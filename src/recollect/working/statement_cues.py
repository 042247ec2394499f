"""May a message state something at all? A look at its words, so that most prompts load no detector.

Somewhat more than half of all prompts have a cue, and more than nine in ten of those that the detector would
find (docs/measurements/capture.md). The detector asks this first, wherever it runs, so that all see the same.
"""

from __future__ import annotations

_MOST_READ = 20_000  # characters of a message
_SHORT = 30  # words; a rule that is alone in its message has fewer
_CUES = frozenset(
    """
    again always anymore asked avoid because can't cannot cant convention decided don't dont each ensure
    every forgot forward instead keep longer must never no not only our prefer remember rule rules since
    stop supposed sure switched told using we'll we're we've were whenever why without won't
    """.split()  # noqa: SIM905
)
# Without these no plain rule is alone in a message; they are too common to be cues of anything else.
_CUES_OF_RULES = _CUES | frozenset(
    "all belong belongs favor favour limit live need needs rather should than we".split()  # noqa: SIM905
)
_SPACES = str.maketrans({**dict.fromkeys('.,;:!?()*_"\u201c\u201d\n', " "), "\u2019": "'"})


def has_cue(message: str, *, of_rules: bool = True) -> bool:
    """Whether a message has one of the words without which hardly anything is stated.

    `of_rules` asks for those of plain rules too (`statement_rules`), which count in a short message.
    """
    words = message[:_MOST_READ].lower().translate(_SPACES).split()
    return not (_CUES_OF_RULES if of_rules and len(words) <= _SHORT else _CUES).isdisjoint(words)
