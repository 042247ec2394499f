"""Pairs of memories as agents write them: the same thing said again, a sentence or two put differently.

Each row is a decision as (title, context, decision, reason).
"""

Said = tuple[str, str, str, str]

NEAR: list[tuple[Said, Said]] = [
    (
        (
            "Sign a JWT at login",
            "The API needs to know who is calling without asking the database.",
            "Sign a JWT at login and check its signature on every request.",
            "There is no session store to run and to scale.",
        ),
        (
            "Sign a JWT when a user logs in",
            "The API has to know who is calling without asking the database.",
            "Sign a JWT at login and check its signature on each request.",
            "There is no session store to run and to scale.",
        ),
    ),
    (
        (
            "Use PostgreSQL for the order service",
            "Orders need transactions across several tables.",
            "Keep orders in PostgreSQL and use its row locks for stock.",
            "The team has run PostgreSQL for years and knows its failure modes.",
        ),
        (
            "use postgresql for the order service",
            "Orders need transactions, across several tables!",
            "Keep orders in PostgreSQL, and use its row locks for stock",
            "The team has run PostgreSQL for years; it knows its failure modes.",
        ),
    ),
    (
        (
            "Retry failed webhooks with exponential backoff",
            "Customers' endpoints are down for minutes at a time.",
            "Retry a failed webhook with exponential backoff for a day, then give up and alert.",
            "Most outages end within an hour, and a queue of retries is cheap.",
        ),
        (
            "Retry failed webhooks with exponential backoff",
            "The endpoints of customers go down for several minutes at a time.",
            "Retry a failed webhook with exponential backoff for a day, then give up and alert.",
            "Most outages are over within an hour, and a queue of retries is cheap.",
        ),
    ),
    (
        (
            "Write migrations by hand",
            "Generated migrations locked a large table for minutes.",
            "Write every migration by hand and test it on a copy of production.",
            "A generated migration does not know which tables are large.",
        ),
        (
            "Write database migrations by hand",
            "Generated migrations locked a large table for minutes.",
            "Every migration is written by hand and tested on a copy of production.",
            "A generated migration does not know which tables are large.",
        ),
    ),
    (
        (
            "Serve images from the CDN",
            "Image traffic makes up most of the load on the web servers.",
            "Serve all images from the CDN and set far-future cache headers.",
            "The web servers are free for pages, and images arrive faster.",
        ),
        (
            "Serve images from the CDN",
            "Most of the load on the web servers is image traffic.",
            "Serve all images from the CDN and set far-future cache headers.",
            "Web servers are free for pages and images arrive faster.",
        ),
    ),
    (
        (
            "Keep feature flags in the config service",
            "Releases were blocked because features could not be switched off.",
            "Read feature flags from the config service and cache them for a minute.",
            "A flag can be flipped without a deploy.",
        ),
        (
            "Keep feature flags in the config service",
            "Releases got blocked because a feature could not be switched off.",
            "Read feature flags from the config service, cached for a minute.",
            "Flags can be flipped without a deploy.",
        ),
    ),
    (
        (
            "Pin dependencies with hashes",
            "A yanked release broke the build on a Friday evening.",
            "Pin every dependency with its hash in requirements.txt.",
            "A build installs what was reviewed and nothing else.",
        ),
        (
            "Pin all dependencies with hashes",
            "A yanked release broke our build on a Friday evening.",
            "Pin every dependency, with its hash, in requirements.txt.",
            "The build installs what was reviewed and nothing else.",
        ),
    ),
    (
        (
            "Log as JSON",
            "Searching the logs for one request takes a regular expression.",
            "Write logs as JSON with a request id in each line.",
            "The log store indexes fields without a parser.",
        ),
        (
            "Log as JSON lines",
            "Searching logs for one request takes a regular expression today.",
            "Write the logs as JSON with a request id in each line.",
            "The log store indexes fields without any parser.",
        ),
    ),
    (
        (
            "Split the monolith at billing first",
            "Billing changes weekly and every release drags the rest along.",
            "Move billing into a service of its own before anything else.",
            "It has the cleanest border and the most changes.",
        ),
        (
            "Split the monolith at billing first",
            "Billing changes every week and each release drags the rest along.",
            "Move billing into its own service before anything else.",
            "It has the cleanest border and the most changes.",
        ),
    ),
    (
        (
            "Render emails on the server",
            "Templates in the client cannot be tested against mail programs.",
            "Render emails on the server from MJML templates.",
            "One place to test, and old clients show them well.",
        ),
        (
            "Render e-mails on the server",
            "Templates in the client cannot be tested against mail programs.",
            "Render emails on the server, from MJML templates.",
            "There is one place to test and old clients show them well.",
        ),
    ),
    (
        (
            "Use optimistic locking on invoices",
            "Two clerks edited one invoice and the second save won silently.",
            "Add a version column to invoices and refuse a save of an old version.",
            "Conflicts are rare, so a lock would cost more than it gives.",
        ),
        (
            "Optimistic locking on invoices",
            "Two clerks edited the same invoice and the second save silently won.",
            "Add a version column to invoices and refuse to save an old version.",
            "Conflicts are rare, so a lock would cost more than it gives.",
        ),
    ),
    (
        (
            "Run end-to-end tests against a real broker",
            "The fake broker never reordered a message and production did.",
            "Start a real RabbitMQ in a container for end-to-end tests.",
            "Only the real one shows redelivery and reordering.",
        ),
        (
            "Run end-to-end tests against a real broker",
            "The fake broker never reordered messages, while production did.",
            "For end-to-end tests, start a real RabbitMQ in a container.",
            "Only a real one shows redelivery and reordering.",
        ),
    ),
    (
        (
            "Store money as integer cents",
            "Floating point totals differed from the ledger by a cent.",
            "Store money as integer cents and format it at the edge.",
            "Integers add up exactly.",
        ),
        (
            "Store money as integer cents",
            "Floating-point totals differed by a cent from the ledger.",
            "Money is stored as integer cents and formatted at the edge.",
            "Integers add up exactly.",
        ),
    ),
    (
        (
            "Cache the product catalogue in Redis",
            "The catalogue query takes most of the time of a page view.",
            "Cache the catalogue in Redis for five minutes and drop it on every edit.",
            "Stale prices for a few minutes are acceptable to the shop team.",
        ),
        (
            "Cache product catalogue in Redis",
            "The catalogue query takes most of the time of each page view.",
            "Cache the catalogue in Redis for five minutes; drop it on every edit.",
            "The shop team accepts stale prices for a few minutes.",
        ),
    ),
    (
        (
            "Generate the API client from the schema",
            "The hand-written client lagged behind the server for weeks.",
            "Generate the TypeScript client from the OpenAPI schema in the build.",
            "A breaking change fails the build of the page, not the page itself.",
        ),
        (
            "Generate the API client from its schema",
            "The hand written client lagged weeks behind the server.",
            "Generate the TypeScript client from the OpenAPI schema during the build.",
            "A breaking change breaks the build of the page and not the page itself.",
        ),
    ),
]
