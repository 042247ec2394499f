"""Everyday words: people use them about any work, so a match in a memory means little.

The rarity of a word among sixty memories is not its rarity in what developers type: `ready` may be in only
one memory and is still not a subject. English only, because most prompts are written in it; words of other
languages count by their rarity in the index.
"""

from __future__ import annotations

from recollect.text.stemming import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

EVERYDAY = frozenset(
    """
    able actually add allow already another anyone anything ask away back bad best better big bit
    break bring build call care case change check choose clean clear close code come command comment
    commit complete consider continue copy correct create current date day debug delete describe
    detail different document done easy edit either end enough error even ever every everything
    example expect explain fail fast file find fine finish first fix folder follow found full
    function get give go going good got great guess hand happen hard hello help hey hi hold hope
    idea implement important improve include inside instead issue job keep kind know last late later
    leave left less let like line list little live long look lot main make many maybe mean mention
    merge message method mind minute missing moment month morning move much name need never new next
    nice note nothing number often ok okay old one open option output outside part pass paste people
    perhaps person pick place plan please plus point possible prefer print probably problem project
    pull push put question quick quickly quite rather read ready real really reason recommend
    refactor remove rename repeat reply report request rest result return revert review rewrite
    right run save say second see seem send set share short show simple simply single small soon
    sort sound source start state stay step still stop stuff suggest summarize summary support
    suppose sure switch take talk task tell test thank thanks thing think three time today together
    tomorrow top total tried true try turn two type understand undo update use user usual value
    variable version wait want warning way week well whole without wonder word work world worse
    write wrong year yes yesterday yet
    """.split()  # noqa: SIM905
)


def everyday(stems: Collection[str]) -> set[str]:
    """Those of `stems` that are stems of everyday words."""
    starts = tuple([known[:-1] or known for known in stems])  # stemming changes the last letter at most
    return {stem(word) for word in EVERYDAY if word.startswith(starts)}.intersection(stems)
