"""The quick check before the patterns: it may let too much through, and must never skip a secret."""

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.redaction.hard_look_alikes import HARD_LOOK_ALIKES
from tests.redaction.look_alikes import LOOK_ALIKES
from tests.redaction.sample_keys import HEX, ISSUED, drawn
from tests.redaction.secrets_in_texts import SECRETS_IN_TEXTS

from recollect.redaction.family import Family, matches, token_starts
from recollect.redaction.prefix_check import is_certain
from recollect.redaction.redact import SCANNERS, find, issued_families
from recollect.redaction.spans import CONTROLS, INVISIBLE, SHORTEST_KEY, scanned

SECRETS = [key for keys in ISSUED.values() for key in keys]
HELD = [text.replace("@@", secret) for texts in SECRETS_IN_TEXTS.values() for text, secret in texts]
PLAIN = [text for texts in (*LOOK_ALIKES.values(), *HARD_LOOK_ALIKES.values()) for text in texts]
MORE = [
    f"https://ci.test/hooks/{drawn(32)}",
    "openssl rsa -passin pass:sw0rdfish",
    "CREATE USER app IDENTIFIED WITH argon2 BY 'sw0rdfish'",
    f"{drawn(32, HEX)}-us12",
    f"{drawn(16, '0123456789')}|{drawn(27)}",
]
BITS = [
    "\n",
    "\\n",
    " ",
    "=",
    ": ",
    '"',
    "'",
    "://",
    "@",
    "bearer ",
    "Basic ",
    "token",
    "-us1",
    "|",
    "é",
]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Secrets, look-alikes and what stands between them, cut and put together at any place."""
    parts = draw(
        st.lists(st.sampled_from([*SECRETS, *HELD, *PLAIN, *MORE]) | st.sampled_from(BITS), max_size=6)
    )
    text = draw(st.sampled_from(["", " ", "\n"])).join(parts)
    cut = draw(st.integers(0, len(text)))
    gone = draw(st.integers(0, 12))
    return text[:cut] + draw(st.sampled_from(["", *BITS]) | st.text(max_size=4)) + text[cut + gone :]


def certain(family: Family, text: str, starts: frozenset[str] | None = None) -> set[tuple[int, int]]:
    source = scanned(text)
    spans = {match.span() for match in matches(family, source, starts) if is_certain(family, match)}
    return {(start, end) for start, end in spans if end - start >= SHORTEST_KEY}


def skipped(text: str) -> list[str]:
    """The families whose keys are found in a text only without the prefilter."""
    starts = token_starts(scanned(text).tokens)
    return [
        family.kind
        for family in issued_families()
        if certain(family, text) != certain(family, text, starts)
    ]


def test_the_prefilter_skips_no_secret_and_no_look_alike_that_we_know() -> None:
    for text in (*SECRETS, *HELD, *PLAIN, *MORE):
        assert skipped(text) == [], text


@given(texts())
def test_the_prefilter_never_skips_what_a_pattern_finds(text: str) -> None:
    assert skipped(text) == []


@given(texts())
def test_the_gate_finds_what_each_scanner_finds_by_itself(text: str) -> None:
    source = scanned(text)
    spans = find(text)

    for scanner in SCANNERS:
        for alone in scanner(source):
            covered = any(span.start <= alone.start and alone.end <= span.end for span in spans)
            assert covered, alone.kind


def test_the_control_characters_are_the_invisible_ones_of_ascii() -> None:
    """They are listed, because a prompt or a tool call would wait for the pattern of all of them."""
    assert [sign for sign in map(chr, range(128)) if re.match(f"[{INVISIBLE}]", sign)] == list(CONTROLS)
