"""What the people of Tidewater, who sell ferry tickets, have decided: the content of the story project."""

from dataclasses import dataclass
from typing import Any

from recollect.records.categories import Category
from recollect.records.record import LinkType


@dataclass(frozen=True, slots=True)
class StoryMemory:
    """A memory, saved so many days ago. Its id is the slug of its title."""

    days_ago: int
    category: Category
    title: str
    tags: tuple[str, ...]
    content: dict[str, Any]
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoryLink:
    """A link from one memory to another, by ids."""

    source: str
    type: LinkType
    target: str
    evidence: str = ""


def _decision(
    days_ago: int, title: str, tags: str, context: str, decision: str, *why: str, **more: Any
) -> StoryMemory:
    content = {"status": "accepted", "context": context, "decision": decision, "rationale": list(why)}
    files = more.pop("files", ())
    return StoryMemory(
        days_ago, Category.DECISION, title, tuple(tags.split()), content | more, tuple(files)
    )


def _constraint(
    days_ago: int, title: str, tags: str, rule: str, impact: str, severity: str = "high"
) -> StoryMemory:
    content = {
        "kind": "policy" if "must" in rule else "technical",
        "rule": rule,
        "impact": [impact],
        "severity": severity,
        "active": True,
    }
    return StoryMemory(days_ago, Category.CONSTRAINT, title, tuple(tags.split()), content)


def _preference(days_ago: int, title: str, tags: str, value: str, reason: str) -> StoryMemory:
    content = {
        "topic": tags.split(maxsplit=1)[0],
        "value": value,
        "reason": reason,
        "strength": "strong",
    }
    return StoryMemory(days_ago, Category.PREFERENCE, title, tuple(tags.split()), content)


def _runbook(
    days_ago: int, title: str, tags: str, trigger: str, verification: str, *steps: str
) -> StoryMemory:
    content = {"trigger": trigger, "steps": list(steps), "verification": verification}
    return StoryMemory(days_ago, Category.RUNBOOK, title, tuple(tags.split()), content)


def _debt(
    days_ago: int, title: str, tags: str, description: str, reason: str, priority: str = "medium"
) -> StoryMemory:
    content = {
        "status": "open",
        "priority": priority,
        "description": description,
        "reason_deferred": reason,
    }
    return StoryMemory(days_ago, Category.TECH_DEBT, title, tuple(tags.split()), content)


MEMORIES: tuple[StoryMemory, ...] = (
    _decision(
        74,
        "Keep bookings in PostgreSQL",
        "bookings database",
        "Seats are sold by the web page, the kiosks and two partners at the same time.",
        "One PostgreSQL database owns the seats; every sale locks the row of its sailing.",
        "Two people must never get one seat.",
        "We know how to run it.",
        alternatives=[{"option": "Redis counters", "rejected_reason": "No way to audit a sale."}],
    ),
    _decision(
        70,
        "Sign a JWT at login",
        "auth jwt",
        "Kiosks call the API without a browser.",
        "Sign a token that is valid for an hour and send it as a bearer token.",
        "The API keeps no sessions.",
    ),
    _constraint(
        68,
        "Card numbers never reach our servers",
        "payments pci",
        "Card data must go from the browser to the payment provider directly.",
        "No form of ours may have a field for a card number.",
        "high",
    ),
    _preference(
        66,
        "Money is integers of cents",
        "money types",
        "Count cents in integers, never floats.",
        "A refund of 0.1 + 0.2 cost us an evening.",
    ),
    _decision(
        61,
        "Prices are computed when a sailing is shown",
        "pricing performance",
        "Operators change prices during the day.",
        "Compute the price for each request from the rules of the operator.",
        "A cached price was wrong twice in the first week.",
        files=["src/pricing.py"],
    ),
    _runbook(
        57,
        "A kiosk prints no tickets",
        "kiosk printing",
        "A kiosk sells a ticket and nothing comes out of the printer.",
        "A test ticket is printed.",
        "Look at the queue of the printer in the kiosk's admin page.",
        "Restart the print service.",
        "Print the tickets of the last hour again from the bookings page.",
    ),
    _constraint(
        54,
        "The booking API answers within 300 ms",
        "api performance",
        "95% of calls to the booking API answer within 300 ms.",
        "Partners drop us from their search when we are slower.",
    ),
    _decision(
        50,
        "Opaque session tokens replace JWT",
        "auth session",
        "A stolen kiosk held a token that stayed valid for an hour, and we could do nothing.",
        "Give out an opaque token and look it up on every call.",
        "A token can be revoked at once.",
        consequences=["One more query per call, 0.4 ms at the 95th percentile."],
    ),
    _debt(
        47,
        "Two parsers for timetables",
        "timetables import",
        "Operators send CSV or GTFS; the CSV parser repeats half of the other one.",
        "The season started.",
        "high",
    ),
    _preference(
        45,
        "Dates are stored in UTC and shown in the port's time",
        "time types",
        "Store UTC, convert at the edge with the time zone of the port.",
        "A ferry across a border left an hour early on paper.",
    ),
    _decision(
        41,
        "Send mail through a queue",
        "mail queue",
        "The mail provider was down for an hour and checkouts failed with it.",
        "A checkout writes the mail into a table; a worker sends it and tries again.",
        "A sale must not depend on the mail provider.",
    ),
    _runbook(
        38,
        "The mail queue grows",
        "mail queue",
        "More than 500 mails wait for longer than ten minutes.",
        "The number of waiting mails falls.",
        "Look at the status page of the mail provider.",
        "Restart the worker: make restart-mailer",
        "Send the oldest ten by hand and read the answers.",
    ),
    _constraint(
        36,
        "Refunds above 200 euros need a second person",
        "refunds policy",
        "A refund above 200 euros must be approved by a second person.",
        "The refund tool asks, and a workflow pauses there.",
    ),
    _decision(
        33,
        "Cache prices for a minute",
        "pricing cache",
        "Computing prices for a month view took 1.8 s at the 95th percentile.",
        "Cache the price of a sailing for a minute and drop it when an operator changes a rule.",
        "The month view answers in 240 ms.",
        "A change of rules is visible at once.",
        files=["src/pricing.py", "src/cache.py"],
    ),
    _debt(
        30,
        "Kiosks poll instead of listening",
        "kiosk api",
        "Each kiosk asks for departures every ten seconds.",
        "The firmware cannot hold a connection open.",
        "low",
    ),
    _preference(
        28,
        "Write the failing test first",
        "testing",
        "A test is written and seen to fail before the code that mends it.",
        "Two tests passed for weeks without testing anything.",
    ),
    _decision(
        25,
        "Partners get webhooks, not a feed",
        "partners webhooks",
        "The nightly feed was six hours old when passengers read it.",
        "Push each change to partners as a signed webhook, and try again for a day.",
        "A cancelled sailing reaches passengers in seconds.",
    ),
    _runbook(
        22,
        "A sailing is cancelled by weather",
        "operations refunds",
        "An operator cancels a sailing less than a day ahead.",
        "Every passenger has a mail and a refund or a new ticket.",
        "Close the sailing for sale.",
        "Offer the next two sailings with free seats.",
        "Refund who does not choose within 48 hours.",
    ),
    _debt(
        20,
        "Seat maps are drawn by hand",
        "seats ui",
        "Each ferry has a hand-written SVG; a refit needs a developer.",
        "Three ferries a year change.",
    ),
    _decision(
        17,
        "Sell group tickets as one booking",
        "bookings groups",
        "Schools booked forty tickets and changed them one by one.",
        "A group is one booking with many seats and one payer.",
        "A change touches all seats or none.",
    ),
    _constraint(
        15,
        "Passenger lists are deleted after 30 days",
        "privacy data",
        "Names of passengers must be deleted 30 days after the sailing.",
        "Reports count passengers and never name them.",
        "high",
    ),
    _runbook(
        12,
        "Payments fail with code 402",
        "payments incident",
        "More than 2% of payments are refused with code 402 within ten minutes.",
        "The share of refused payments is below 1%.",
        "Look whether one bank or all are affected.",
        "Switch 3-D Secure to the second provider: make pay-provider=b",
        "Tell support what to say.",
    ),
    _decision(
        9,
        "Search sailings with a materialised view",
        "search performance",
        "The search joins six tables and took 900 ms for islands with many stops.",
        "Refresh a materialised view every five minutes and search in it.",
        "Islands with 40 stops answer in 35 ms.",
    ),
    _preference(
        6,
        "Errors say what to do next",
        "ux errors",
        "A message names the value and the next step.",
        "Support answered the same mail thirty times a week.",
    ),
    _debt(
        3,
        "No load test of the summer opening",
        "performance testing",
        "When summer tickets go on sale, 40 times the usual load arrives within a minute.",
        "The staging database is too small.",
        "high",
    ),
    _decision(
        1,
        "A waiting room for the summer opening",
        "performance bookings",
        "Last year the seats of the night ferry were sold out in 90 seconds, with 4,000 errors.",
        "Let 200 people per second in, and show the others their place.",
        "Errors stop, and it is fair.",
    ),
)

LINKS: tuple[StoryLink, ...] = (
    StoryLink("opaque-session-tokens-replace-jwt", LinkType.SUPERSEDES, "sign-a-jwt-at-login"),
    StoryLink(
        "cache-prices-for-a-minute",
        LinkType.SUPERSEDES,
        "prices-are-computed-when-a-sailing-is-shown",
        "the load test of October",
    ),
    StoryLink(
        "the-booking-api-answers-within-300-ms",
        LinkType.CAUSED,
        "cache-prices-for-a-minute",
        "the month view took 1.8 s",
    ),
    StoryLink(
        "the-booking-api-answers-within-300-ms",
        LinkType.CAUSED,
        "search-sailings-with-a-materialised-view",
    ),
    StoryLink("send-mail-through-a-queue", LinkType.ENABLED, "the-mail-queue-grows"),
    StoryLink(
        "refunds-above-200-euros-need-a-second-person",
        LinkType.SUPPORTS,
        "a-sailing-is-cancelled-by-weather",
    ),
    StoryLink(
        "no-load-test-of-the-summer-opening",
        LinkType.CAUSED,
        "a-waiting-room-for-the-summer-opening",
        "we cannot test the load, so we limit it",
    ),
    StoryLink("keep-bookings-in-postgresql", LinkType.ENABLED, "sell-group-tickets-as-one-booking"),
    StoryLink("keep-bookings-in-postgresql", LinkType.ENABLED, "a-waiting-room-for-the-summer-opening"),
    StoryLink("card-numbers-never-reach-our-servers", LinkType.SUPPORTS, "payments-fail-with-code-402"),
    StoryLink(
        "partners-get-webhooks-not-a-feed",
        LinkType.DERIVED_FROM,
        "the-booking-api-answers-within-300-ms",
    ),
    StoryLink(
        "kiosks-poll-instead-of-listening",
        LinkType.CONTRADICTS,
        "the-booking-api-answers-within-300-ms",
        "400 kiosks make 40 calls a second",
    ),
)
