"""`gateway projection`: proposed from what agents read, accepted by a person, removed again."""

from tests.cli.running import Cli
from tests.gateway.tools import tool
from tests.requirements import requirement

from recollect.app.gateway import open_gateway
from recollect.gateway.listing import ServerListing


def read_gateway(cli: Cli) -> None:
    """A tool whose results were read alike three times."""
    gateway = open_gateway(cli.env)
    gateway.add("tracker", {"command": "true"})
    gateway.record("tracker", ServerListing([tool("tracker:search", "Search issues.", query="words")]))
    for result in ("one", "two", "three"):
        gateway.projections.read("tracker", "search", "items[*].title", result)


@requirement("gateway:vault:projections")
def test_what_is_proposed_is_listed_accepted_and_removed(cli: Cli) -> None:
    read_gateway(cli)

    assert "tracker:search: items[*].title (proposed)" in cli.ok("gateway", "projection", "list").out
    accepted = cli.ok("gateway", "projection", "accept", "tracker:search").out
    listed = cli.ok("gateway", "projection", "list", "--json").json()
    cli.ok("gateway", "projection", "remove", "tracker:search")

    assert "Large results of tracker:search show items[*].title." in accepted
    assert listed == {
        "accepted": [{"tool": "tracker:search", "fields": ["items[*].title"]}],
        "proposed": [],
    }
    assert "None yet." in cli.ok("gateway", "projection", "list").out


def test_a_person_may_name_other_fields(cli: Cli) -> None:
    read_gateway(cli)

    cli.ok("gateway", "projection", "accept", "tracker:search", "items[0].id", "total")

    fields = open_gateway(cli.env).projections.fields("tracker", "search")
    assert fields == ("items[*].id", "total")


def test_what_does_not_exist_is_named(cli: Cli) -> None:
    read_gateway(cli)

    def refusal(*arguments: str) -> str:
        return cli("gateway", "projection", *arguments).err

    assert "nothing is proposed for 'tracker:other'" in refusal("accept", "tracker:other")
    assert "unknown tool 'tracker:other'" in refusal("accept", "tracker:other", "a")
    assert "'tracker:search' has no projection" in refusal("remove", "tracker:search")
