"""A file that the user names speaks for itself; one that a tool touched needs more."""

import pytest
from tests.requirements import requirement
from tests.retrieval.corpora import corpus, doc

from recollect.app.finder import Finder
from recollect.retrieval.request import Request

# Memories of a farm's software, each about a file whose path has no word of the memory.
MEMORIES = {
    "lib/units/convert.go": (
        "Milk in litres",
        "Volumes are litres everywhere; gallons only for display.",
    ),
    "svc/inbox/poll.rs": (
        "Collar messages by long polling",
        "The collars drop sockets after a minute.",
    ),
    "ui/pages/map.vue": ("Leaflet for paddocks", "Vector tiles broke on the tablets in the barn."),
    "db/seeds/0007.sql": (
        "Breeds are never renamed",
        "Certificates print the breed as it was at birth.",
    ),
    "ops/cron/nightly.sh": (
        "Backups before milking",
        "The parlour writes from five; a dump at four is quiet.",
    ),
    "svc/billing/quote.rs": (
        "Feed contracts in pounds",
        "The mill invoices in sterling, also from abroad.",
    ),
    "ui/forms/weigh.vue": ("Two decimals on the scale", "The crush scale is exact to ten grams."),
    "lib/crypto/seal.go": ("Vet reports are sealed", "Only the practice may open a diagnosis."),
    "svc/herd/merge.rs": (
        "Twins share a dam record",
        "A second calf within a day belongs to the same birth.",
    ),
    "infra/dns.tf": ("Subdomains per co-operative", "Members want their own address on the letters."),
    "ui/theme.css": ("High contrast outdoors", "Screens are read in full sun with gloves on."),
    "svc/alerts/rules.rs": (
        "No alarms between ten and five",
        "Farmers sleep; only fires may wake them.",
    ),
    "lib/geo/hull.go": ("Fences as polygons", "Circles cut through the neighbour's field."),
    "db/views/yield.sql": ("Yield is a rolling week", "Single days swing with the weather."),
    "tools/import_csv.py": ("Semicolons from the agency", "Their export has commas inside of names."),
    "svc/tags/scan.rs": ("Ear tags are sixteen digits", "Leading zeros belong to the country."),
    "ui/i18n/cy.json": ("Welsh first", "The grant demands both languages, Welsh above."),
    "ops/alloy.river": ("Metrics leave once an hour", "The mast has ten megabytes a day."),
    "svc/sync/queue.rs": ("Phones win over the office", "Whoever stood beside the animal is right."),
    "lib/time/season.go": ("Seasons start with grass", "Turnout opens the year, not January."),
}
PHRASES = (
    *("look at {}", "rename the helper in {}", "{} has an unused import", "what does {} do?"),
    *("{}", "there is a typo in {}", "split {} into two modules", "{} needs a unit test"),
)
GENERIC = (
    "run the tests again",
    "thanks, that looks good",
    "fix the lint warnings",
    "show me the diff",
)
OTHER_FILES = (
    *("lib/units/round.go", "svc/outbox/poll_test.rs", "ui/pages/about.vue", "db/seeds/0012.sql"),
    *("README.md", "svc/herd/mod.rs", "infra/vpc.tf", "docs/start.md"),
)


@pytest.fixture(scope="module")
def farm() -> Finder:
    rows = enumerate(MEMORIES.items())
    return corpus(
        *(doc(f"m{number}", *text, files=(file,)) for number, (file, text) in rows),
        *(doc(f"x{number}", f"Field note {number}", "Rain, then hay.") for number in range(20)),
    )


def given(farm: Finder, text: str, *touched: str) -> list[str]:
    answer = farm.find(Request(text, mode="auto", strategy="fts5_bm25", files=touched)).answer
    return [str(hit.document.id) for hit in answer.hits]


@requirement("retrieval:gate:named-file")
def test_a_prompt_that_shares_only_a_path_with_a_memory_gets_it(farm: Finder) -> None:
    prompts = [
        (phrase.format(file), f"mem:m{number}")
        for number, file in enumerate(MEMORIES)
        for phrase in (PHRASES[number % 8], PHRASES[(number + 3) % 8])
    ]

    missed = [(text, id) for text, id in prompts if id not in given(farm, text)[:1]]

    assert len(prompts) == 40
    assert missed == []


@requirement("retrieval:gate:named-file")
def test_a_prompt_about_a_file_that_no_memory_is_about_gets_nothing(farm: Finder) -> None:
    texts = [
        phrase.format(file)
        for number, file in enumerate(OTHER_FILES)
        for phrase in (PHRASES[number % 8], PHRASES[(number + 3) % 8])
    ]

    assert [text for text in texts if given(farm, text)] == []


@requirement("retrieval:gate:touched-file")
def test_a_prompt_about_any_work_gets_nothing_for_the_file_that_a_tool_touched(farm: Finder) -> None:
    for file in MEMORIES:
        assert [text for text in GENERIC if given(farm, text, file)] == []


@requirement("retrieval:gate:touched-file")
def test_a_touched_file_helps_a_prompt_that_shares_words_with_its_memory(farm: Finder) -> None:
    text = "the volumes are off by one here"

    assert given(farm, text) == []
    assert given(farm, text, "lib/units/convert.go")[:1] == ["mem:m0"]
    assert given(farm, text, "svc/inbox/poll.rs") == []
