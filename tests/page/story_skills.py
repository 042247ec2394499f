"""The skills of the story: Markdown pages that refer to each other and to memories."""

# By the path in the skill folder.
SKILLS = {
    "change-prices/SKILL.md": """---
name: change-prices
description: Change the price rules of a route without a wrong price on any screen.
tags: [pricing]
describes: [cache-prices-for-a-minute]
---

# Change prices

Change the rule, watch the month view, and [[roll-back]] when a price looks wrong.
""",
    "change-prices/roll-back.md": """# Roll back a price rule

Take the rule out and drop the cache.
""",
    "load-test/SKILL.md": """---
name: load-test
description: Measure the booking API before a season opens.
governs: [the-booking-api-answers-within-300-ms]
related: [change-prices]
---

# Load test

Replay the opening of last summer.
""",
}
