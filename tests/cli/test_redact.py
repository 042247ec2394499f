import gzip
import json

from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.redaction.sample_keys import ISSUED

from recollect.records.categories import Category
from recollect.redaction.redact import digest

KEY, OTHER = ISSUED["github token"][:2]


def test_a_text_is_printed_without_its_secrets_and_findings_go_to_standard_error(cli: Cli) -> None:
    (cli.folder / "build.log").write_text(f"ok\nused {KEY} twice\n")

    done = cli.ok("redact", "build.log")

    assert done.out == "ok\nused [REDACTED] twice\n"
    assert done.err == "redacted: line 2: github token\n"


def test_standard_input_is_read_when_no_file_is_named_and_bytes_that_are_no_text_survive(
    cli: Cli,
) -> None:
    assert cli.ok("redact", stdin=f"x {KEY}").out == "x [REDACTED]"
    assert cli.ok("redact", "-", stdin="nothing here\n").out == "nothing here\n"


def test_json_tells_kind_and_place_and_never_the_value(cli: Cli) -> None:
    done = cli.ok("redact", "-", "--json", stdin=f"used {KEY} twice")

    assert done.json() == {
        "redacted": "used [REDACTED] twice",
        "applied": True,
        "findings": [{"kind": "github token", "start": 5, "end": 5 + len(KEY)}],
    }
    assert not mismatches(done.json(), SHAPES["redact"])
    assert KEY not in done.out + done.err


def test_a_digest_that_the_command_tells_allows_the_value(cli: Cli) -> None:
    cli.ok("init")
    told = cli.ok("redact", "-", "--json", "--digests", stdin=KEY).json()["findings"][0]["digest"]
    assert told == digest(KEY)

    (cli.root / "memory-config.json").write_text(json.dumps({"redaction": {"allow": [told]}}))

    assert cli.ok("redact", "-", stdin=f"{KEY} {OTHER}").out == f"{KEY} [REDACTED]"


def test_a_projects_own_pattern_holds_for_texts_and_for_memories(cli: Cli) -> None:
    cli.ok("init")
    own = {"id": "acme badge", "pattern": "badge-[0-9]{4}"}
    (cli.root / "memory-config.json").write_text(json.dumps({"redaction": {"patterns": [own]}}))

    assert cli.ok("redact", "-", stdin="badge-1234").out == "[REDACTED]"
    assert cli.save("Ask for badge-1234 first")["redacted"] == [
        {"kind": "acme badge", "field": "title"}
    ]


def test_a_pattern_that_is_refused_stops_every_write(cli: Cli) -> None:
    cli.ok("init")
    own = {"id": "ahead", "pattern": "(?=a)b"}
    (cli.root / "memory-config.json").write_text(json.dumps({"redaction": {"patterns": [own]}}))

    done = cli("redact", "-", stdin="x")

    assert done.exit_code == 5
    assert "'ahead'" in done.err
    assert cli("list").exit_code == 5


def test_a_file_that_is_not_there_and_a_fix_without_a_scan_are_refused(cli: Cli) -> None:
    assert cli("redact", "nowhere.log").exit_code == 3
    assert cli("redact", "--scan", "nowhere").exit_code == 3
    assert cli("redact", ".").exit_code == 5
    assert cli("redact", "-", "--fix").exit_code == 5


def test_a_scan_names_path_field_and_kind_and_fails_until_it_is_fixed(cli: Cli) -> None:
    cli.ok("init")
    path = cli.put(Category.DECISION, title=f"Use {KEY}")
    cli.ok("search", "use")
    root = ".claude/memory"

    found = cli("redact", "--scan", root, "--json")

    assert found.exit_code == 8
    row = {"path": f"{root}/decisions/{path.name}", "field": "title", "kind": "github token"}
    assert found.json() == {"applied": False, "stored": [{**row, "fixed": False}]}
    assert not mismatches(found.json(), SHAPES["redact"])
    assert KEY not in cli("redact", "--scan", root).out

    fixed = cli.ok("redact", "--scan", root, "--fix")

    assert "git still has the old files" in fixed.out
    held = [
        file for file in cli.root.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()
    ]
    assert held == []
    assert cli.ok("redact", "--scan", root).out == "No secrets found.\n"
    assert cli.ok("search", "use").exit_code == 0


def test_the_measurement_prints_what_it_promises_and_no_text(cli: Cli) -> None:
    case = {"text": KEY, "secret": True, "kind": "github"}
    (cli.folder / "cases.jsonl.gz").write_bytes(gzip.compress(json.dumps(case).encode()))

    done = cli.ok("bench", "redaction", "--data", ".", "--json")

    assert not mismatches(done.json(), SHAPES["bench redaction"])
    assert (done.json()["recall"], done.json()["benign_line_rate"]) == (1.0, None)
    assert KEY not in done.out
    assert "secrets found        1.000 of 1" in cli.ok("bench", "redaction", "--data", ".").out
