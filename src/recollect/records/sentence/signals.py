"""Which category does a sentence belong to? Declared signals with weights, the highest sum wins. Pure.

Constraints say what must or must not be done, preferences how things are done here, decisions what was chosen
and why, runbooks what to do when something goes wrong, and tech debt what was put off. The weights are ranks
rather than measurements: 3 says it outright, 2 suggests it, 1 only supports another signal.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from recollect.records.categories import Category
from recollect.records.sentence.clauses import Clauses, masked

Where = Literal["start", "statement", "reason", "anywhere", "condition", "rest"]

_STYLE_VERBS = (
    r"add|annotate|answer|apply|begin|build|call|capitali[sz]e|commit|declare|define|describe|document"
    r"|end|export"
    r"|favou?r|follow|format|group|handle|import|indent|inject|keep|lean|let|limit|log|match|name|order"
    r"|organi[sz]e"
    r"|pass|pick|pin|place|prefer|prefix|put|raise|reach\s+for|reply|respond|return|reuse|run|separate"
    r"|sort|speak"
    r"|spell|squash|start|stick|store|structure|test|throw|treat|type|use|wrap|write"
)
_DO_VERBS = (
    r"bump|check|clear|close|confirm|delete|disable|edit|enable|end|export|fix|install|kill|look|move"
    r"|open|prune|"
    r"pull|purge|push|re-?run|rebuild|recreate|reinstall|reload|remove|reset|restart|retry|revert|roll"
    r"|run|set|"
    r"start|stop|try|uninstall|unset|update|upgrade|use|verify|wait|x+"
)
_TROUBLE = (
    r"(?:fail|crash|hang|break|broke|stuck|stall|complain|error|exception|time[sd]?\s*out|timeout|refuse"
    r"|reject"
    r"|missing|stale|corrupt|leak|flak|slow|stops?\b|dies\b|lost\b|down\b|denied|unreachable|cannot"
    r"|can['\u2019]t"
    r"|won['\u2019]t|does(?:n['\u2019]t| not)|not\s+found|already\s+in\s+use|conflict|you\s+(?:see|get"
    r"|hit)\b)"
)


@dataclass(frozen=True, slots=True)
class Signal:
    """A pattern, where it is looked for, and how much it speaks for a category."""

    category: Category
    where: Where
    weight: float
    words: re.Pattern[str]


def _signal(category: Category, where: Where, weight: float, words: str) -> Signal:
    return Signal(category, where, weight, re.compile(words, re.I))


_C, _P, _D = Category.CONSTRAINT, Category.PREFERENCE, Category.DECISION
_R, _T = Category.RUNBOOK, Category.TECH_DEBT
SIGNALS: tuple[Signal, ...] = (
    _signal(
        _C,
        "statement",
        3,
        r"\b(?:must(?:n['\u2019]t)?|shall|ha(?:s|ve) to|is required|are required|required to|mandatory"
        r"|forbidden"
        r"|prohibited|forbids?|prohibits?|disallow(?:s|ed)?|not (?:allowed|permitted|supported)"
        r"|may (?:not|only)"
        r"|only\b.{1,40}\b(?:may|can)|cannot|can['\u2019]t|can only|under no circumstances|no one may"
        r"|nobody may)\b",
    ),
    _signal(
        _C,
        "start",
        3,
        r"(?:never|do not|don['\u2019]t|no\s+[\w-]+\s+[\w~])",
    ),
    _signal(_C, "statement", 2, r"\b(?:never|do not|don['\u2019]t)\b"),
    _signal(
        _C,
        "statement",
        2,
        r"\b(?:limited to|at most|at least|no more than|no fewer than|no longer than|maximum|minimum"
        r"|(?:larger|bigger|longer|older|more) than\b.*\b(?:rejected|refused|dropped|ignored|truncated|cut)"
        r"|capped at|up to \d|needs? (?:an?|one|two|three|\d+|the)\b.{0,30}\b(?:approvals?|reviews?"
        r"|reviewers?|sign-?offs?)"
        r"|nothing else|no other|no exceptions?)\b",
    ),
    _signal(
        _C,
        "start",
        3,
        r"always\s+(?:ask|check|get|obtain|confirm|verify|review|back up|notify|consult)\b",
    ),
    _signal(_C, "start", 2.5, r"(?:make sure|be sure|ensure|ask)\b"),
    _signal(
        _C,
        "statement",
        2,
        r"\bonly\b(?! use)|\bstays? (?:in|on|inside|within|out|behind)\b|\bexclusively\b",
    ),
    _signal(_C, "statement", 2, r"\brequires? |\bneeds? (?!to\b|\w+ing\b)"),
    _signal(
        _C,
        "anywhere",
        1,
        r"\b(?:contract|licen[cs]e|law|legal|gdpr|compliance|customers?|policy|audit)\b",
    ),
    _signal(
        _P,
        "start",
        2.5,
        rf"(?:always\s+|generally\s+|please\s+)?(?:{_STYLE_VERBS})\b(?!\s+(?:is|are|was)\b)",
    ),
    _signal(
        _P,
        "start",
        3,
        r"(?:avoid|prefer|favou?r|consider|try to|ideally|i (?:like|want|prefer|love|hate|dislike))\b",
    ),
    _signal(
        _P,
        "anywhere",
        1.5,
        r"\b(?:prefer(?:s|red|ably)?|where (?:you can|possible)|when(?:ever)? possible|if possible)\b",
    ),
    _signal(
        _P,
        "statement",
        1,
        r"\bshould\b|\bconvention\b|\bstyle\b|\b(?:camel|snake|kebab|pascal|sentence|title) ?case\b",
    ),
    _signal(_P, "start", 1, r"we (?:use|write|name|keep|like|indent|format|test|put|call)\b"),
    _signal(
        _D,
        "anywhere",
        3,
        r"\b(?:we|i|they|the team|it was|was|were)\s+(?:have\s+|has\s+|had\s+|also\s+)?(?:chose|chosen"
        r"|picked|decided"
        r"|opted|selected|settled|went with|going with|agreed|adopted|standardi[sz]ed|moved|migrated|switched"
        r"|replaced|dropped|rejected|abandoned)\b|^(?:decided|chose|decision)\b",
    ),
    _signal(_D, "statement", 1, r"\b(?:instead of|in place of|rather than|over(?! ~?\d))\b"),
    _signal(_D, "reason", 1.5, r"\S"),
    _signal(_R, "condition", 3, _TROUBLE),
    _signal(_R, "rest", 1.5, rf"^(?:{_DO_VERBS})\b"),
    _signal(_T, "start", 4, r"(?:todo|fixme|hack|xxx|tech(?:nical)? debt)\b"),
    _signal(
        _T,
        "anywhere",
        3,
        r"\b(?:temporary|temporarily|work-?around until|stop-?gap|put(?:ting)? off|deferred|postponed"
        r"|known (?:problem|issue|bug)"
        r"|some ?day|eventually|when (?:we|there is|somebody|someone) ha(?:ve|s) time|time permitting"
        r"|for now|tech(?:nical)? debt"
        r"|needs? (?:to be )?(?:rewrit|refactor|split|clean|mov|port|migrat|replac|remov)\w*"
        r"|should be (?:removed|replaced|rewritten|migrated|split|ported|deleted|cleaned)"
        r"|(?:we(?:['\u2019]ll| will| want to| plan to)|to be) (?:port|migrate|rewrite|replace|fix|remove"
        r"|move|clean|refactor)\w*)\b",
    ),
    _signal(
        _T,
        "anywhere",
        1.5,
        r"\b(?:legacy|deprecated|dumping ground|untested|duplicated?|hard-?coded|still|not\b.{0,30}\byet"
        r"|copy-?pasted)\b",
    ),
)
# Prior: most rules that people write say how things are done.
_PRIOR: Mapping[Category, float] = {_P: 1.0, _C: 0.5, _D: 0.25, _T: 0.1, _R: 0.0}


@dataclass(frozen=True, slots=True)
class CategoryChoice:
    """The category of a sentence, and the words that spoke for it."""

    category: Category
    words: tuple[str, ...]


def choose(parts: Clauses) -> CategoryChoice:
    """The category of a sentence. One without any signal is a preference."""
    sums, words = dict(_PRIOR), dict[Category, list[str]]()
    for signal in SIGNALS:
        if match := _match(signal, parts):
            sums[signal.category] += signal.weight
            words.setdefault(signal.category, []).append(" ".join(match[0].split()))
    if parts.cue == "to" and not _AIM.match(parts.condition):
        sums[_R] += 2.5  # "To reset the database, run ..."
    if _instructs(parts):
        sums[_D] -= 1.5  # a reason for an instruction does not make it a decision
    category = max(sums, key=lambda each: sums[each])
    return CategoryChoice(category, tuple(words.get(category, ())))


def _match(signal: Signal, parts: Clauses) -> re.Match[str] | None:
    match signal.where:
        case "start":
            return signal.words.match(masked(parts.rest or parts.statement))
        case "statement":
            return signal.words.search(masked(parts.statement))
        case "reason":
            return signal.words.search(masked(parts.reason))
        case "condition":
            return signal.words.search(masked(parts.condition))
        case "rest":
            return signal.words.search(masked(parts.rest))
        case "anywhere":
            return signal.words.search(masked(parts.text))


_AIM = re.compile(r"(?:avoid|prevent|keep|ensure|make|reduce|help|be|stay|save)\b", re.I)
_INSTRUCTION = re.compile(
    rf"(?:always\s+)?(?:{_STYLE_VERBS}|{_DO_VERBS}|never|do not|don['\u2019]t)\b", re.I
)


def _instructs(parts: Clauses) -> bool:
    return _INSTRUCTION.match(masked(parts.rest or parts.statement)) is not None
