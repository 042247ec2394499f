"""Links as no sane person makes them: what every command makes of them, and that it ends."""

import json
import time
import xml.etree.ElementTree as ET

import pytest
from tests.cli.running import Cli

SECONDS = 30.0  # for each command, on a busy machine; a walk that runs wild takes for ever


def to(target: str, type: str = "derived_from") -> dict[str, str]:
    return {"type": type, "target": target}


@pytest.fixture
def web(cli: Cli) -> Cli:
    """Loops, circles, a hub of 10,000 links, loose ends, ids in another case, links out of use."""
    nowhere = [to(f"mem:gone-{number}") for number in range(10_000)]
    hub = cli.put(
        id="hub", title="The hub of invoices", links=[to("mem:a-cause"), to("mem:hub"), *nowhere]
    )
    hub.write_text(
        json.dumps(json.loads(hub.read_text()))
    )  # on one line, which is the slowest to place
    cli.put(id="a-cause", title="A quiet cause", links=[to("mem:hub", "caused")])
    for number in range(250):
        cli.put(id=f"spoke-{number}", title=f"Spoke {number}", links=[to("mem:hub")])
    cli.put(id="one", title="Circle one", links=[to("two"), to("two", "supersedes")])
    cli.put(id="two", title="Circle two", links=[to("one"), to("one", "supersedes")])
    cli.put(id="buried", title="Buried matter")
    cli.put(id="old", title="Old invoices", record_status="retired", links=[to("buried")])
    cli.put(id="now", title="Invoices now", links=[to("old"), to("skill:DEPLOY", "implements")])
    (cli.folder / ".claude" / "skills").mkdir()
    (cli.folder / ".claude" / "skills" / "deploy.md").write_text("# Deploy\n[[deploy]] [[nowhere]]\n")
    cli.ok("index")
    return cli


def ran(cli: Cli, *arguments: str, exit_code: int = 0) -> str:
    start = time.process_time()
    run = cli(*arguments)
    assert time.process_time() - start < SECONDS, arguments
    assert run.exit_code == exit_code, run.err
    return run.out


def test_every_command_ends_and_tells_what_is_wrong(web: Cli) -> None:
    hits = {hit["id"] for hit in json.loads(ran(web, "search", "invoices", "--json"))["hits"]}
    why = ran(web, "why", "hub")
    tree = ran(web, "graph", "tree", "hub")
    circle = ran(web, "why", "one", "--depth", "10")
    stats = json.loads(ran(web, "graph", "stats", "--json"))
    groups = ran(web, "graph", "communities")
    drawn = ET.fromstring(ran(web, "graph", "export"))
    doctor = ran(web, "doctor", exit_code=8)

    assert {"hub", "now", "a-cause", "skill:deploy"} <= hits
    assert hits.isdisjoint({"old", "buried"})
    assert "(gone)" in why
    assert "There are more links; these are the first 200." in why
    assert tree.count("led to DECISION Spoke") == 200
    assert "There are more links" in tree
    assert "Some links form a cycle" in circle
    assert (len(stats["dangling"]), len(stats["loops"]), stats["circles"]) == (
        10_000,
        1,
        [["one", "two"]],
    )
    assert "252 memories, 10000 gone" in groups
    assert len(list(drawn.iter("{http://graphml.graphdrawing.org/xmlns}edge"))) == stats["links"]
    assert "'derived_from mem:gone-9999' points to a memory that does not exist" in doctor
    assert "the link 'nowhere'" in doctor
    assert "'one' and 'two' supersede each other" in doctor


def test_a_link_in_another_case_is_told_and_never_taken_for_a_memory(web: Cli) -> None:
    web.put(id="shouting", title="Shouting", links=[to("mem:Hub")])

    assert "'Hub' is not a memory id" in web("doctor").out
    assert "shouting" not in ran(web, "graph", "export")
