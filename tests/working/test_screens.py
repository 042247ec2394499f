"""Most texts are let through by a quick look. It may look twice, and it must never look away."""

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.working.hidden import HIDDEN
from tests.working.look_alikes import LOOK_ALIKES
from tests.working.made_up import HEX, ISSUED, drawn
from tests.working.misleading import MISLEADING

from recollect.redaction.assignments import assigned
from recollect.redaction.bare_tokens import loose
from recollect.redaction.built_in import FAMILIES
from recollect.redaction.email_addresses import addresses
from recollect.redaction.family import Family, matches, tokens_of
from recollect.redaction.prefix_check import is_certain
from recollect.redaction.redact import find

SECRETS = [key for keys in ISSUED.values() for key in keys]
HELD = [text.replace("@@", secret) for texts in HIDDEN.values() for text, secret in texts]
PLAIN = [text for texts in (*LOOK_ALIKES.values(), *MISLEADING.values()) for text in texts]
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


def unscreened(family: Family) -> Family:
    """The family without anything that is looked at before its pattern."""
    return Family(family.kind, family.marks, family.pattern, family.exact, family.free, family.sure)


UNSCREENED = [(family, unscreened(family)) for family in FAMILIES]


def certain(family: Family, text: str) -> set[tuple[int, int]]:
    found = [(one, "secret" if one.re.groups else 0) for one in matches(family, text)]
    return {one.span(group) for one, group in found if is_certain(family, one[group])}


@requirement("redaction:gate:screens")
def test_a_quick_look_passes_over_no_secret_and_no_look_alike_that_we_know() -> None:
    for text in (*SECRETS, *HELD, *PLAIN, *MORE):
        for family, plain in UNSCREENED:
            assert certain(family, text) == certain(plain, text), (family.kind, text)


@requirement("redaction:gate:screens")
@given(texts())
def test_a_quick_look_never_passes_over_what_the_pattern_finds(text: str) -> None:
    for family, plain in UNSCREENED:
        assert certain(family, text) == certain(plain, text), family.kind


@requirement("redaction:gate:screens")
@given(texts())
def test_the_gate_finds_what_each_scanner_finds_by_itself(text: str) -> None:
    low = "".join([one.lower()[:1] for one in text])
    alone = [*assigned(text, low), *loose(text, low, tokens_of(text)), *addresses(text)]
    spans = find(text)

    for kind, start, end in alone:
        assert any(span.start <= start and end <= span.end for span in spans), kind
