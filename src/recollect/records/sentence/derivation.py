"""The record that a sentence becomes. Every word of it is the sentence's own or one of `DEFAULTS`. Pure.

A required field that the sentence does not answer says so (`NOT_STATED`): repeating the sentence there would
pass for an answer, and anything else would be made up.
"""

import re
from dataclasses import dataclass

from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import TITLE_LENGTH
from recollect.records.sentence.clauses import Clauses, clauses, masked, steps, trimmed
from recollect.records.sentence.signals import choose
from recollect.text.tokens import STOP_WORDS

NOT_STATED = "Not stated."
MOST_CHARACTERS = 2_000
_MOST_TAGS = 4
# What a field has whose value no sentence says: status, priority, severity and the like.
DEFAULTS: dict[str, Json] = {
    "status": "accepted",
    "kind": "policy",
    "severity": "medium",
    "active": True,
    "strength": "default",
    "priority": "medium",
}
# Values that words of the sentence choose, in place of the default.
_CHOSEN: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "severity",
        "high",
        re.compile(
            r"\b(?:never|must(?:n['\u2019]t)?|under no circumstances|forbidden|mandatory)\b", re.I
        ),
    ),
    (
        "kind",
        "technical",
        re.compile(
            r"\b(?:limited to|maximum|minimum|at most|no more than|larger than|version)\b"
            r"|\d\s*(?:[kmg]i?b|ms|s|%)\b",
            re.I,
        ),
    ),
    ("strength", "strong", re.compile(r"\b(?:always|never|strictly|only|every|all)\b", re.I)),
    (
        "strength",
        "soft",
        re.compile(
            r"\b(?:consider|ideally|where (?:you can|possible)|when(?:ever)? possible|if possible|try to)\b",
            re.I,
        ),
    ),
    ("priority", "high", re.compile(r"\b(?:urgent|asap|critical|soon)\b", re.I)),
    (
        "priority",
        "low",
        re.compile(
            r"\b(?:some ?day|eventually|nice to have|when (?:we|there is) (?:have )?time)\b", re.I
        ),
    ),
)
_ALTERNATIVE = re.compile(
    r"\b(?:instead of|in place of|rather than|over|decided against)\s+(?P<option>[^,;:.]{2,60})", re.I
)
_OPTION_ENDS = re.compile(
    r"\s+(?:because|since|so|for|to|as|when|in|on|with|we|i|they|it|the)\s.*", re.I | re.S
)
_LATER = re.compile(r"\b(?:until|after|once|when|before|as soon as)\s+(?P<reason>[^,;]{3,200})", re.I)
_CHECKS = re.compile(r"(?:check|verify|confirm|make sure|wait|look)\b", re.I)
_MARKER = re.compile(
    r"(?:todo|fixme|hack|xxx|tech(?:nical)? debt|temporary hack)\s*[:\u2013\u2014-]\s*", re.I
)
_SPAN = re.compile(r"`([^`]+)`")
_PATH = re.compile(
    r"(?:\.{0,2}/)?(?:[\w@.-]+/)+[\w*.-]*|[\w-]+\.(?:py|ts|tsx|js|jsx|mjs|rs|go|java|kt|rb|md|toml|ya?ml|json|sql|css|html|sh|c|h|cpp|cs|php|swift)"
)
_WORD = re.compile(r"[^\W_][\w.+#-]*[\w+#]|[^\W_]")
_EMPTY_WORDS = STOP_WORDS | frozenset(
    """add again always answer ask avoid because before build call check chose commit consider decided default
    delete do don edit ensure every favour fix fixme follow format get go going got group hack has help
    include instead keep let like live lives long make makes many moved must name named need needs never
    new nothing old open own place please prefer put rather remember run runs say see sees set settled
    short should show since start still stop sure take thing things time todo try use used uses using
    want way well went whenever without work works write written
    yet""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Derived:
    """A record derived from a sentence, and the words that chose its category; none when nothing did."""

    sentence: str
    document: JsonObject
    signals: tuple[str, ...] = ()

    @property
    def category(self) -> Category:
        return Category(str(self.document["category"]))


def derive(sentence: str, category: Category | None = None) -> Derived:
    """The record of a sentence, of a category that was chosen or of the one its words speak for.

    Raises RefusedError for a text that is no sentence, or is too long to be one.
    """
    if len(sentence) > MOST_CHARACTERS:
        raise RefusedError(
            f"the sentence has {len(sentence)} characters; the maximum is {MOST_CHARACTERS}. "
            "`recollect save` takes longer texts."
        )
    parts = clauses(sentence)
    if not any(letter.isalnum() for letter in parts.text):
        raise RefusedError("there is nothing to remember; write one sentence, such as 'Use tabs.'")
    if category is Category.SESSION_SUMMARY:
        raise RefusedError(
            "one sentence is not a session summary; `recollect save` asks for its fields."
        )
    chosen = choose(parts)
    kind = category or chosen.category
    title, tags = _title(parts), _tags(parts.text)
    document: JsonObject = {
        "category": kind.value,
        "title": title,
        "tags": list[Json](tags or [kind.value]),
        "content": _content(kind, parts, tags),
    }
    if files := _files(parts.text):
        document["related_files"] = list[Json](files)
    return Derived(parts.text, document, chosen.words if kind is chosen.category else ())


def _title(parts: Clauses) -> str:
    """What the sentence says, without its reason, within the length of a title."""
    text = parts.statement or parts.text
    text = (
        text[marker.end() :] if (marker := _MARKER.match(text)) and marker.end() < len(text) else text
    )
    text = text[0].upper() + text[1:] if text[0].isascii() else text
    if len(text) <= TITLE_LENGTH:
        return text
    head = text[:TITLE_LENGTH]
    return trimmed(head.rsplit(" ", 1)[0] if " " in head else head) or head


def _tags(text: str) -> list[str]:
    """Up to four words to find it by: names in code first, then names in capitals, then the longest words."""
    code = [word for span in _SPAN.findall(text) for word in _code_words(span)]
    words = _WORD.findall(_SPAN.sub(" ", text))
    names = [word for word in words[1:] if not word.islower()]
    plain = sorted(words, key=lambda word: (-min(len(word), 9), words.index(word)))
    tags = [word.lower().rstrip(".") for word in (*code, *names, *plain)]
    return list(dict.fromkeys(tag for tag in tags if _is_useful(tag)))[:_MOST_TAGS]


def _code_words(span: str) -> list[str]:
    """The words of code to find it by: the end of a path, or the first two of a command."""
    words = _WORD.findall(span.rstrip("/").rpartition("/")[2] if _PATH.fullmatch(span) else span)
    return [word for word in words if _is_useful(word.lower())][:2]


def _is_useful(tag: str) -> bool:
    return len(tag) > 1 and tag not in _EMPTY_WORDS and not tag[0].isdigit()


def _files(text: str) -> list[str]:
    """Files that the sentence names in code."""
    spans = [span for span in _SPAN.findall(text) if _PATH.fullmatch(span) and "//" not in span]
    return list(dict.fromkeys(spans))


def _content(category: Category, parts: Clauses, tags: list[str]) -> JsonObject:
    match category:
        case Category.DECISION:
            return _decision(parts)
        case Category.CONSTRAINT:
            return {
                "kind": _choice("kind", parts),
                "rule": parts.text,
                "impact": [NOT_STATED],
                "severity": _choice("severity", parts),
                "active": True,
            }
        case Category.RUNBOOK:
            return _runbook(parts)
        case Category.TECH_DEBT:
            return _tech_debt(parts)
        case _:
            return {
                "topic": tags[0] if tags else parts.text,
                "value": parts.statement or parts.text,
                "reason": parts.reason or NOT_STATED,
                "strength": _choice("strength", parts),
            }


def _choice(field: str, parts: Clauses) -> Json:
    hidden = masked(parts.text)
    values = (value for name, value, words in _CHOSEN if name == field and words.search(hidden))
    return next(values, DEFAULTS[field])


def _decision(parts: Clauses) -> JsonObject:
    content: JsonObject = {
        "status": DEFAULTS["status"],
        "context": NOT_STATED,
        "decision": parts.statement or parts.text,
        "rationale": [parts.reason or NOT_STATED],
    }
    if match := _ALTERNATIVE.search(masked(parts.statement)):
        option = parts.statement[match.start("option") : match.end("option")]
        option = trimmed(_OPTION_ENDS.sub("", option))
        if option:
            content["alternatives"] = [{"option": option, "rejected_reason": NOT_STATED}]
    return content


def _runbook(parts: Clauses) -> JsonObject:
    actions = steps(parts.rest or parts.statement) or [parts.text]
    checks = [step for step in actions[1:] if _CHECKS.match(step)]
    return {
        "trigger": parts.condition or parts.text,
        "steps": list[Json](actions),
        "verification": checks[-1] if checks else NOT_STATED,
    }


def _tech_debt(parts: Clauses) -> JsonObject:
    later = _LATER.search(masked(parts.text))
    waits_for = trimmed(parts.text[later.start() : later.end()]) if later else ""
    return {
        "status": "open",
        "priority": _choice("priority", parts),
        "description": parts.text,
        "reason_deferred": parts.reason or waits_for or NOT_STATED,
    }
