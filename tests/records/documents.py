"""Documents for property tests: any JSON, and memories that two people may have changed."""

import json
from typing import cast

from hypothesis import strategies as st
from tests.samples import document

from recollect.records.categories import Category
from recollect.records.json_format import Json, JsonObject

# With what hides: controls, zero-width, bidi, tags, and halves of pairs that stand alone.
_ODD = st.sampled_from(
    '\x00\x07\x7f\x85\xad\u200b\u200d\u202e\u2028\u2066\ufeff\ud800\udc00"\\\n\U000e0041'
)
TEXTS = st.text(st.characters() | _ODD, max_size=12)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | TEXTS
    | (st.floats(allow_nan=False, allow_infinity=False))
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _as_read(value: JsonObject) -> JsonObject:
    """The document a reader gets: two halves of a surrogate pair side by side are one character."""
    return cast("JsonObject", json.loads(json.dumps(value)))


DOCUMENTS: st.SearchStrategy[JsonObject] = st.dictionaries(TEXTS, VALUES, max_size=5).map(_as_read)

_WORDS = st.sampled_from(["a", "b", "c", "d"])
_SENTENCES = st.sampled_from(
    ["Sign a JWT.", "Keep cookies.", "Ask again.", 'Two\nlines, one quote: ".']
)
_ROWS = {
    "links": st.sampled_from(
        [
            {"type": "supersedes", "target": "mem:old"},
            {"type": "supports", "target": "mem:old"},
            {"type": "supports", "target": "mem:other", "evidence": "seen"},
            {"type": "supports", "target": "mem:other", "evidence": "heard"},
        ]
    ),
    "changes": st.builds(
        lambda day, summary: {"date": f"2026-11-{day:02}T10:00:00Z", "summary": summary},
        st.integers(1, 9),
        _WORDS,
    ),
}
_UNIQUE = {name: st.lists(row, max_size=3, unique_by=str) for name, row in _ROWS.items()}


@st.composite
def memories(draw: st.DrawFn) -> JsonObject:
    """A valid decision; two of them share enough that their changes meet in the same fields."""
    fields: JsonObject = {
        "title": draw(_SENTENCES).partition("\n")[0],
        "tags": cast("Json", draw(st.lists(_WORDS, min_size=1, max_size=3, unique=True))),
        "updated_at": f"2026-11-{draw(st.integers(15, 18))}T10:00:00Z",
    }
    for name, rows in _UNIQUE.items():
        if draw(st.booleans()):
            fields[name] = cast("Json", draw(rows))
    if draw(st.booleans()):
        fields["confidence"] = draw(st.sampled_from([0, 0.5, 1]))
    if "changes" in fields:
        fields["times_updated"] = draw(st.integers(0, 3))
    if draw(st.booleans()):
        fields["x-team"] = draw(_WORDS)
    return document(Category.DECISION, **fields) | {"content": draw(_contents())}


@st.composite
def _contents(draw: st.DrawFn) -> JsonObject:
    content: JsonObject = {
        "status": draw(st.sampled_from(["proposed", "accepted"])),
        "context": draw(_SENTENCES),
        "decision": draw(_SENTENCES),
        "rationale": cast("Json", draw(st.lists(_SENTENCES, min_size=1, max_size=2))),
    }
    if draw(st.booleans()):
        content["consequences"] = cast("Json", draw(st.lists(_SENTENCES, max_size=2)))
    if draw(st.booleans()):
        content["note"] = draw(_WORDS)
    return content
