from tests.samples import CONTENT, document

from recollect.records.body import body
from recollect.records.categories import Category
from recollect.records.record import Memory


def test_the_words_of_a_memory_are_its_text_fields_in_the_order_of_the_category() -> None:
    content = dict(reversed(CONTENT[Category.DECISION].items()))
    content["alternatives"] = [{"option": "Cookies", "rejected_reason": " They need a store. "}]

    assert body(Memory.parse(document(content=content))).split("\n") == [
        "The API needs to know who is calling.",
        "Sign a JWT at login.",
        "No session store to run.",
        "Cookies",
        "They need a store.",
    ]


def test_states_flags_and_unknown_fields_are_no_words() -> None:
    content = CONTENT[Category.CONSTRAINT] | {"x-note": "unknown", "expires": "  "}

    text = body(Memory.parse(document(Category.CONSTRAINT, content=content)))

    assert text == "Uploads may not exceed 5 MB.\nLarge reports must be split."
