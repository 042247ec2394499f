"""`list` and `show`."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.terminal import terminal
from tests.requirements import requirement
from tests.samples import CONTENT

from recollect.records.categories import Category
from recollect.storage.files.root import MemoryRoot

NASTY = {
    "escape": "red \x1b[31malert\x1b[0m \x1b]0;title\x07 \x1b[2J",
    "control": "bell\x07 back\x08space carriage\rreturn",
    "zero-width": "pay\u200bpal \u2060 \ufeff",
    "bidi": "evil \u202egnp.exe\u202c \u2066x\u2069",
    "markup": "[red]x[/red] [/] [bold]",
    "link": "[link=http://x]y[/link] \\[a]",
    "emoji": "a :lock: and a :smile:",
    "lines": "first\nsecond\u2028third\tend",
    "scripts": "日本語 Ελληνικά العربية",
}


@pytest.fixture
def several(cli: Cli) -> Cli:
    """A project with memories of three kinds, each of another day."""
    rows: tuple[tuple[str, Category, dict[str, Any]], ...] = (
        ("old", Category.DECISION, {"tags": ["auth", "jwt"]}),
        ("new", Category.CONSTRAINT, {"tags": ["upload"]}),
        ("middle", Category.RUNBOOK, {"tags": ["auth"]}),
        ("gone", Category.DECISION, {"record_status": "retired", "retired_at": "2026-11-10T00:00:00Z"}),
        ("away", Category.TECH_DEBT, {"record_status": "archived"}),
    )
    days = {"old": 1, "middle": 2, "new": 3, "gone": 4, "away": 5}
    for id, category, fields in rows:
        moment = f"2026-11-0{days[id]}T10:00:00Z"
        cli.put(category, id=id, title=f"The {id} one", updated_at=moment, **fields)
    return cli


def ids(cli: Cli, *options: str) -> list[str]:
    return [row["id"] for row in cli.ok("list", "--json", *options).json()["memories"]]


def test_a_list_has_exactly_the_documented_keys(several: Cli) -> None:
    done = several.process("list", "--limit", "1", "--json")

    assert done.json() == {
        "count": 1,
        "total": 3,
        "offset": 0,
        "memories": [
            {
                "id": "new",
                "title": "The new one",
                "category": "constraint",
                "path": ".claude/memory/constraints/new.json",
                "status": "active",
                "tags": ["upload"],
                "updated_at": "2026-11-03T10:00:00Z",
                "in_force": True,
                "superseded_by": [],
            }
        ],
    }


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), ["new", "middle", "old"]),
        (("--limit", "2"), ["new", "middle"]),
        (("--limit", "0"), ["new", "middle", "old"]),
        (("-c", "decision"), ["old"]),
        (("-c", "Tech-Debt", "--status", "all"), ["away"]),
        (("--tag", "auth"), ["middle", "old"]),
        (("--tag", "auth", "--tag", "jwt"), ["old"]),
        (("--tag", "nothing"), []),
        (("--status", "retired"), ["gone"]),
        (("--status", "archived"), ["away"]),
        (("--status", "all"), ["away", "gone", "new", "middle", "old"]),
    ],
)
def test_a_list_is_filtered_and_the_last_changed_comes_first(
    several: Cli, options: tuple[str, ...], found: list[str]
) -> None:
    assert ids(several, *options) == found


def test_memories_of_one_moment_are_listed_by_id(cli: Cli) -> None:
    for id in ("b", "c", "a"):
        cli.put(id=id)

    assert ids(cli) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "code"), [(("--status", "asleep"), 5), (("-c", "wish"), 5), (("--limit", "-1"), 2)]
)
def test_a_filter_that_makes_no_sense_is_refused(cli: Cli, options: tuple[str, ...], code: int) -> None:
    assert cli("list", *options).exit_code == code


def test_a_person_sees_fifty_and_how_many_more_there_are(cli: Cli) -> None:
    for number in range(52):
        cli.put(id=f"m-{number:02}")

    with terminal(cli, "list") as screen:
        assert screen.finish() == 0

    assert screen.shown.count("DECISION") == 50
    assert "... and 2 more; --offset 50 shows the next ones, --all shows all." in screen.shown
    assert cli.ok("list", "--offset", "50").out.count("DECISION") == 2
    for everything in ("--all", "--limit=0"):
        assert cli.ok("list", everything).out.count("DECISION") == 52
    assert len(ids(cli)) == 52


@requirement("cli:list:pages")
def test_pages_follow_each_other_and_say_how_many_memories_there_are(several: Cli) -> None:
    pages = [
        several.ok("list", "--limit", "2", "--offset", str(offset), "--json").json()
        for offset in (0, 2, 4)
    ]

    assert [[row["id"] for row in page["memories"]] for page in pages] == [
        ["new", "middle"],
        ["old"],
        [],
    ]
    assert [(page["total"], page["offset"]) for page in pages] == [(3, 0), (3, 2), (3, 4)]


@requirement("cli:list:pages")
def test_a_list_reads_only_files_that_changed(several: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (several.folder / ".claude" / "memory").glob("*/*.json"):
        os.utime(path, (1, 1))  # the content of a file that was just written is compared again
    ids(several)
    read: list[str] = []
    plain = MemoryRoot.read

    def counted(root: MemoryRoot, path: Path, folder: int | None = None) -> bytes:
        read.append(path.name)
        return plain(root, path, folder)

    monkeypatch.setattr(MemoryRoot, "read", counted)
    several.put(id="old", title="Edited", tags=["auth"], updated_at="2026-11-09T10:00:00Z")

    rows = several.ok("list", "--json").json()["memories"]

    assert (rows[0]["id"], rows[0]["title"]) == ("old", "Edited")
    assert read == ["old.json"]


def test_a_tag_of_a_list_is_matched_exactly(several: Cli) -> None:
    assert ids(several, "--tag", "AUTH") == []


def test_the_users_memories_are_listed_apart(several: Cli) -> None:
    several.ok(
        *("save", "--user", "-c", "preference", "-t", "Tabs", "--tag", "style", "-s", "topic=style"),
        *("-s", "value=Tabs.", "-s", "reason=Width.", "-s", "strength=strong"),
    )

    assert ids(several, "--user") == ["tabs"]
    assert "tabs" not in ids(several, "--status", "all")


def test_a_memory_stays_on_one_line_in_a_pipe(cli: Cli) -> None:
    title = (
        "A title that is rather long and goes on for a while, so that no narrow window has room for it"
    )
    saved = cli.save(title, tags=["one", "two", "three"])

    line = next(line for line in cli.ok("list").out.splitlines() if "DECISION" in line)

    assert saved["id"] in line
    assert title in line
    assert "one, two, three" in line


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_broken_files_are_mentioned_and_the_others_listed(cli: Cli, options: tuple[str, ...]) -> None:
    cli.save()
    cli.write("broken.json", b'{"title": ')

    done = cli.ok("list", *options)

    assert "sign-a-jwt-at-login" in done.out
    assert "1 file could not be read; `recollect doctor` shows which and why." in done.err


def test_an_empty_list_says_what_to_do(cli: Cli) -> None:
    assert "No memories yet; `recollect save` adds the first one." in cli.ok("list").out
    cli.save()
    assert "No memories match." in cli.ok("list", "--tag", "nothing").out


def test_a_memory_that_is_no_longer_valid_is_marked(cli: Cli) -> None:
    cli.put(id="older", created_at="2026-01-01", valid_to="2026-02-01")

    assert "(no longer valid since 2026-02-01)" in cli.ok("list").out
    assert "not in force: no longer valid since 2026-02-01" in cli.ok("show", "older").out


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"valid_to": "2999-01-01"}, "active, valid until 2999-01-01"),
        ({"valid_from": "2999-01-01"}, "not in force: not valid before 2999-01-01"),
    ],
)
def test_what_ends_or_begins_later_is_marked_and_not_called_superseded(
    cli: Cli, fields: dict[str, Any], told: str
) -> None:
    cli.put(id="one", title="One", **fields)

    listed, shown = cli.ok("list").out, cli.ok("show", "one").out

    assert f"One ({told.partition('active, ')[2] or told.partition(': ')[2]})" in listed
    assert told in shown
    assert "superseded" not in listed + shown


@pytest.mark.parametrize("title", NASTY.values(), ids=NASTY)
def test_a_title_is_stored_and_printed_as_json_faithfully(cli: Cli, title: str) -> None:
    saved = cli.save(title, tags=[title])

    listed = cli.ok("list", "--json")
    assert listed.json()["memories"][0]["title"] == title
    assert listed.json()["memories"][0]["tags"] == [title.strip()]
    assert listed.out.isascii()
    assert cli.memory(saved["id"])["title"] == title


@requirement("cli:show:safe")
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_nothing_that_a_user_wrote_moves_or_hides_on_a_terminal(cli: Cli, text: str) -> None:
    content = {
        "context": text,
        "rationale": [text],
        "alternatives": [{"option": text, "rejected_reason": text}],
    }
    saved = cli.save(text, tags=[text], content=content, related_files=[text], x_extra=text)
    outputs = [
        cli.ok("list").out,
        cli.ok("show", saved["id"]).out,
        cli.ok("edit", saved["id"], "-t", f"{text}!").out,
    ]

    for out in outputs:
        assert all(character.isprintable() or character == "\n" for character in out), out
    for sign in ("[red]x[/red] [/] [bold]", "[link=http://x]y[/link]", ":lock:", "日本語"):
        if sign in text:
            assert all(sign in out for out in outputs)


def test_a_terminal_gets_colours_and_no_escape_of_a_users(cli: Cli) -> None:
    cli.save("red \x1b[31malert\x1b[0m \x1b[2J")

    with terminal(cli, "list") as screen:
        assert screen.finish() == 0

    assert "\x1b[36mDECISION" in screen.raw
    assert "\x1b[31m" not in screen.raw
    assert "\x1b[2J" not in screen.raw
    assert "red [31malert[0m" in screen.shown


def test_show_lays_out_everything_that_matters(cli: Cli) -> None:
    (cli.folder / "auth.py").write_text("one\ntwo\n")
    older = cli.save("An older way", content={"decision": "Passwords."})
    saved = cli.save(
        "Sign a JWT at login",
        *("--anchor", "auth.py:1-2", "--supersedes", older["id"], "--related-file", "src/*.py"),
        content={"alternatives": [{"option": "Cookies", "rejected_reason": "CSRF"}], "x_note": "kept"},
        confidence=0.75,
        source={"kind": "agent", "session": "s-1"},
    )
    cli.ok("edit", saved["id"], "--add-tag", "jwt")

    out = cli.ok("show", saved["id"]).out

    for part in (
        *("DECISION Sign a JWT at login", saved["path"], "active", "#auth", "#jwt", "about src/*.py"),
        *(
            "written by agent",
            "session s-1",
            "confidence 0.75",
            "No session store to run.",
            "option: Cookies",
        ),
        *(
            "rejected reason: CSRF",
            "x note",
            "kept",
            f"supersedes mem:{older['id']}",
            "auth.py:1-2 fresh",
        ),
        *("history", "Changed tags", cli.ok("show", saved["id"], "--json").json()["version"][:12]),
    ):
        assert part in out, part
    assert f"Superseded by mem:{saved['id']}" in cli.ok("show", older["id"]).out


def test_show_tells_why_a_memory_is_out_of_use(cli: Cli) -> None:
    cli.save()
    cli.ok("retire", "sign-a-jwt-at-login", "--reason", "Sessions won")

    assert "retired (Sessions won)" in cli.ok("show", "sign-a-jwt-at-login").out


def test_show_judges_the_anchors(cli: Cli) -> None:
    for name in ("fresh.py", "drifted.py", "orphaned.py"):
        (cli.folder / name).write_text("x\n")
    cli.save("Anchored", "--anchor", "fresh.py", "--anchor", "drifted.py", "--anchor", "orphaned.py")
    (cli.folder / "drifted.py").write_text("y\n")
    (cli.folder / "orphaned.py").unlink()

    assert cli.ok("show", "anchored", "--json").json()["anchors"] == [
        {"path": "fresh.py", "verdict": "fresh"},
        {"path": "drifted.py", "verdict": "drifted"},
        {"path": "orphaned.py", "verdict": "orphaned"},
    ]


def test_show_takes_an_id_with_its_prefix(cli: Cli) -> None:
    cli.save()

    assert cli.ok("show", "mem:sign-a-jwt-at-login", "--json").json()["id"] == "sign-a-jwt-at-login"


@pytest.mark.parametrize("id", ["../memory-config", "a/b", "UPPER"])
def test_show_reads_nothing_by_an_id_that_is_none(cli: Cli, id: str) -> None:
    done = cli("show", id)

    assert done.exit_code == 5
    assert f"{id!r} is not a memory id" in done.err


def test_show_of_a_broken_memory_says_where_it_is_broken(cli: Cli) -> None:
    cli.write("broken.json", b'{\n  "title": "x",\n  "title": "y"\n}')

    done = cli("show", "broken", "--json")

    assert done.exit_code == 5
    assert (
        ".claude/memory/decisions/broken.json, line 3: the key 'title' appears twice"
        in done.json()["error"]
    )


def test_unknown_content_is_shown_as_it_is(cli: Cli) -> None:
    cli.put(
        content=dict(CONTENT[Category.DECISION])
        | {"x_flag": True, "x_list": [1, {"a": None}], "x_empty": []}
    )

    out = cli.ok("show", "a-decision").out

    assert "x list" in out
    assert "yes" in out
    assert "x empty" not in out


@requirement("cli:in-force:list")
def test_a_list_says_what_is_not_in_force_why_and_superseded_by_whom(cli: Cli) -> None:
    rejected = CONTENT[Category.DECISION] | {"status": "rejected"}
    cli.put(Category.DECISION, id="url", content=rejected)
    cli.put(Category.DECISION, id="cookie", created_at="2026-01-01T00:00:00Z")
    link = [{"type": "supersedes", "target": "mem:cookie"}]
    cli.put(Category.DECISION, id="redis", created_at="2026-02-01T00:00:00Z", links=link)

    rows = cli.ok("list", "--json").json()["memories"]
    shown = cli.ok("show", "url")

    assert {row["id"]: (row["in_force"], row["superseded_by"]) for row in rows} == {
        "url": (False, []),
        "cookie": (False, ["redis"]),
        "redis": (True, []),
    }
    assert {row["id"]: row.get("not_in_force") for row in rows} == {
        "url": "rejected",
        "cookie": "superseded by redis since 2026-02-01",
        "redis": None,
    }
    assert "(rejected)" in cli.ok("list").out
    assert "not in force: rejected" in shown.out
    assert "active" not in shown.out


@requirement("cli:in-force:search")
def test_a_search_ranks_what_is_not_in_force_last_and_says_why(cli: Cli) -> None:
    rejected = CONTENT[Category.DECISION] | {"status": "rejected"}
    title = "Keep sessions in the URL"
    cli.put(Category.DECISION, id="url", title=title, tags=["sessions", "url"], content=rejected)
    cli.put(Category.DECISION, id="redis", title="Store logins in Redis", tags=["sessions"])

    found = cli.ok("search", "keep sessions in the url", "--explain", "--json").json()["hits"]

    assert [(hit["id"], hit["in_force"]) for hit in found] == [("redis", True), ("url", False)]
    assert found[1]["not_in_force"] == "rejected"
    assert found[1]["score"] > found[0]["score"]
    for hit in found:
        parts = sum(part["share"] for part in hit["explanation"]["channels"])
        assert parts / hit["explanation"]["scale"] == pytest.approx(hit["score"], abs=1e-5)
    assert "Keep sessions in the URL (rejected)" in cli.ok("search", "keep sessions in the url").out


@requirement("cli:in-force:search")
def test_as_of_finds_what_was_in_force_then(cli: Cli) -> None:
    expired = CONTENT[Category.CONSTRAINT] | {"expires": "2026-03-31"}
    start = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
    cli.put(Category.CONSTRAINT, id="limit", title="Uploads of 5 MB", content=expired, **start)

    def found(*options: str) -> list[str]:
        hits = cli.ok("search", "uploads", "--json", *options).json()["hits"]
        return [hit["id"] for hit in hits]

    assert found("--as-of", "2026-03-31") == ["limit"]
    assert found("--as-of", "2026-04-01") == []
    assert found() == ["limit"]
