"""JSON of any shape, for property tests."""

from hypothesis import strategies as st

from recollect.records.json_format import Json

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    lambda children: st.lists(children, max_size=6) | st.dictionaries(NAMES, children, max_size=6),
    max_leaves=40,
)
