"""Sample sources, written for these tests: the least of an ADR, three ADR folders and two rules files."""

MINIMAL = "# {title}\n\n## Status\n\nAccepted\n\n## Context\n\nA.\n\n## Decision\n\nWe will do B.\n"

NYGARD = {
    "0001-record-decisions.md": """# 1. Record our decisions

Date: 2020-02-03

## Status

Accepted

## Context

New people ask why the code is as it is.

## Decision

We will write a short file for each decision.

## Consequences

Somebody has to write it.

Nobody has to guess.
""",
    "0002-store-sessions-in-redis.md": """# 2. Store sessions in Redis

Date: 2020-05-01

## Status

Accepted

Superseded by [4. Sign tokens instead of storing sessions](0004-sign-tokens.md)

## Context

Two application servers must share their sessions.

## Decision

We will keep sessions in Redis because it expires keys by itself.

## Consequences

* One more service to run
* Logins survive a restart
""",
    "0004-sign-tokens.md": """# 4. Sign tokens instead of storing sessions

Date: 2021-09-30

## Status

Accepted

Supercedes [2. Store sessions in Redis](0002-store-sessions-in-redis.md)

Amends [1. Record our decisions](0001-record-decisions.md)

## Context

Redis went down twice and took every login with it.

## Decision

We will sign a token at login and keep nothing on the server.

## Consequences

A token cannot be taken back before it expires.
""",
}

MADR = {
    "0000-template.md": """# {short title}

## Context and Problem Statement

{what this is about}

## Decision Outcome

Chosen option: "{title of option 1}", because {reason}.
""",
    "0005-queue.md": """---
status: superseded by ADR-0011
date: 2022-01-10
decision-makers: [Ada, Grace]
tags: [messaging, "back end"]
---

# Use RabbitMQ as the *message* queue

## Context and Problem Statement

How do the services tell each other what happened?

<!-- This element is optional. -->
## Decision Drivers

* Messages must survive a restart
* The team knows AMQP

## Considered Options

* RabbitMQ
* Kafka
* PostgreSQL's LISTEN and NOTIFY

## Decision Outcome

Chosen option: "RabbitMQ", because it is the only one that the team has run before.

### Consequences

* Good, because work starts at once
* Bad, because a cluster is hard to upgrade

### Confirmation

The load test shows it.

## Pros and Cons of the Options

### RabbitMQ

* Good, because it is known

### Kafka

* Good, because it replays
* Neutral, because it is in fashion
* Bad, because it needs its own team
* Bad, because it is large

### PostgreSQL's LISTEN and NOTIFY

* Bad, because a message is lost when nobody listens
""",
    "0011-log.md": """---
status: accepted
date: 2023-06-01
---

# Keep messages in a log

## Context and Problem Statement

Replaying messages by hand costs days.

## Considered Options

1. Redpanda
2. RabbitMQ streams

## Decision Outcome

We will use Redpanda.

## More Information

* Supersedes [ADR-0005](0005-queue.md) and ADR 99
""",
    "README.md": "# Decisions\n\n* [Queue](0005-queue.md)\n",
}

LOOSE = {
    "adr-7-layout.md": """ADR-7: Layout of the repository
===============================

* Status: **approved** (3 May 2022)
* Deciders: the team

Background
----------

Every service had its own repository, and a change took four pull requests.

```sh
# Decision: this is a comment in a script
```

Resolution
----------

All services move into one repository, so that a change is one pull request.

Alternatives considered
-----------------------

- Git submodules: nobody could explain them
- **Status quo** \u2014 four pull requests stay four

Trade-offs
----------

Positive:

- one build

Negative:

- a large checkout
""",
    "Dates.md": """# [RFC-12] Dates are `UTC` everywhere

| Status | Date |
|--------|------|
| Draft  | 2022-13-45 |

**Problem:** Reports of one day held sales of two.

**Decision:** Store UTC, show local time.
""",
    "notes.md": "# Meeting\n\nWe talked about lunch.\n",
    "empty.md": "\n  \n",
    "retry.md": """# Retry three times

Status: accepted

We decided to retry a failed call three times because most failures are gone after a second.
""",
}

RULES = """# Shop

A small shop. The code must stay readable. It sells books.

@docs/style.md

## Testing

- Write the failing test first
  - and see it fail
- You must never merge a red build
- Consider property tests for parsers

## Commands

- `make test` - runs the tests
- npm run build
- [How to deploy](docs/deploy.md)
- Run `make check` before you push

## Don't

1. commit secrets
2. rename public functions

## Layout

- src/shop/ - the application

```
- Use tabs in this listing
```

| who | what |
|-----|------|

<!--
- Use a comment for what is not in force
-->

## Empty
"""
