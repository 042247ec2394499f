"""A long prompt with several topics: each is judged by itself."""

from tests.requirements import requirement
from tests.retrieval.corpora import corpus, doc

from recollect.retrieval.request import Request

LEDGER = "Ledger shards are split by tenant and never by month"
REFUND = "Refund webhooks of the partner are retried with a growing pause"
WORDS = [f"{first}{second}" for first in ("lamp", "cup", "wool", "door") for second in "abcdefgh"]
FILLER = "\n".join(
    f"Then there is the matter of the {word}, which somebody else looks after." for word in WORDS
)
OTHERS = [
    doc(f"o{number}", f"Subject {number} of the archive", "Nothing else.") for number in range(40)
]


def titles(text: str) -> list[str]:
    finder = corpus(doc("a", LEDGER), doc("b", REFUND), *OTHERS)
    return [hit.document.title for hit in finder.find(Request(text, mode="auto")).answer.hits]


@requirement("retrieval:long:verdict-per-part")
def test_every_topic_of_a_long_prompt_gets_its_memory() -> None:
    text = "\n".join(
        [
            "Here is my list for today.",
            FILLER,
            "Should new ledger shards be split by tenant or by month?",
            "And how are refund webhooks of the partner retried, with a growing pause?",
        ]
    )

    assert set(titles(text)) == {LEDGER, REFUND}


@requirement("retrieval:long:verdict-per-part")
def test_a_long_prompt_without_a_topic_that_is_known_gets_nothing() -> None:
    assert titles(f"Here is my list for today.\n{FILLER}") == []
