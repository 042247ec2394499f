"""Pairs of memories that share a subject and its words but state two facts.

Each row is a decision as (title, context, decision, reason).
"""

from tests.records.near_pairs import Said

RELATED: list[tuple[Said, Said]] = [
    (
        (
            "Sign a JWT at login",
            "The API needs to know who is calling without asking the database.",
            "Sign a JWT at login and check its signature on every request.",
            "There is no session store to run and to scale.",
        ),
        (
            "Revoke a JWT at logout",
            "A stolen token stays valid until it expires.",
            "Keep the ids of revoked tokens in Redis and check them on every request.",
            "Logout must work at once on every device.",
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
            "Use ClickHouse for the reporting service",
            "Reports scan a year of orders at a time.",
            "Copy orders into ClickHouse every night and report from there.",
            "Column storage answers in seconds what took minutes.",
        ),
    ),
    (
        (
            "Connect to the primary on port 5432",
            "The application writes orders and reads its own writes.",
            "Connect to the primary on port 5432 for every write.",
            "Only the primary accepts writes.",
        ),
        (
            "Connect to the primary on port 6432",
            "The application writes orders and reads its own writes.",
            "Connect to the primary on port 6432 for every write.",
            "Only the primary accepts writes.",
        ),
    ),
    (
        (
            "Keep parse_order in orders/parse.py",
            "Two services parse the same message.",
            "Both services import parse_order from orders/parse.py.",
            "One parser, one set of bugs.",
        ),
        (
            "Keep parse_invoice in invoices/parse.py",
            "Two services parse the same message.",
            "Both services import parse_invoice from invoices/parse.py.",
            "One parser, one set of bugs.",
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
            "Sign webhooks with a shared secret",
            "Customers cannot tell our webhooks from forged ones.",
            "Sign the body of each webhook with a secret that the customer can rotate.",
            "A signature in a header is what other vendors do, so libraries exist.",
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
            "Run migrations before the deploy",
            "New code started against the old schema and failed for a minute.",
            "Run every migration before the deploy and keep the old code working with it.",
            "A deploy can then be rolled back without touching the schema.",
        ),
    ),
    (
        (
            "Deploy to staging on every merge",
            "Bugs were found days after they were merged.",
            "Deploy the main branch to staging on every merge.",
            "Testers look at what was merged today.",
        ),
        (
            "Deploy to production on every tag",
            "Nobody knew which commit was live.",
            "Deploy to production only when a release is tagged.",
            "The tag names what is live, and a rollback is another tag.",
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
            "Serve fonts from our own servers",
            "A third party's font host slowed the first paint and saw our visitors.",
            "Serve fonts from the web servers with far-future cache headers.",
            "No visitor's address leaves the house.",
        ),
    ),
    (
        (
            "Use Redis for sessions",
            "Sessions in memory were lost at every deploy.",
            "Keep sessions in Redis with a lifetime of a day.",
            "A deploy no longer logs everybody out.",
        ),
        (
            "Use Redis for rate limits",
            "One customer could use up the whole API.",
            "Count requests per key in Redis with a window of a minute.",
            "Counters are shared by all servers.",
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
            "Keep logs for 30 days",
            "The log store grew past its disk twice.",
            "Delete logs after 30 days and keep audit logs for a year.",
            "Nobody has asked for an older line.",
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
            "Store times in UTC",
            "Reports shifted by an hour when the clocks changed.",
            "Store times in UTC and convert them at the edge.",
            "UTC has no gaps and no hour twice.",
        ),
    ),
    (
        (
            "Test with a real PostgreSQL",
            "SQLite accepted a query that PostgreSQL refused.",
            "Start a real PostgreSQL for the tests of the order service.",
            "Only the real one has its locks and its types.",
        ),
        (
            "Test with a real browser",
            "The DOM library had no layout, so hidden buttons were clicked.",
            "Start a real browser for the tests of the order page.",
            "Only the real one has layout and focus.",
        ),
    ),
    (
        (
            "Upgrade the API to Python 3.11",
            "The API runs on a Python without security fixes.",
            "Upgrade the API to Python 3.11 and drop the backports.",
            "Exception groups and faster startup come for free.",
        ),
        (
            "Upgrade the API to Python 3.12",
            "The API runs on a Python without security fixes.",
            "Upgrade the API to Python 3.12 and drop the backports.",
            "Exception groups and faster startup come for free.",
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
            "Keep search inside the monolith",
            "Search reads every table and writes none.",
            "Leave search in the monolith until the other services are out.",
            "A service of its own would need a copy of all the data.",
        ),
    ),
    (
        (
            "Set DB_POOL_SIZE to the number of workers",
            "Workers waited for connections under load.",
            "Set DB_POOL_SIZE to the number of workers in the deployment.",
            "Each worker holds one connection at most.",
        ),
        (
            "Set HTTP_POOL_SIZE to the number of workers",
            "Workers waited for connections under load.",
            "Set HTTP_POOL_SIZE to the number of workers in the deployment.",
            "Each worker holds one connection at most.",
        ),
    ),
]
