"""Names of things: one spelling each, and types that keep a raw name from passing for a unified id."""

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.errors import RefusedError
from recollect.ids import (
    KINDS,
    PREFIXES,
    RESERVED,
    SLUG,
    MemoryId,
    as_memory,
    as_skill,
    memory_id,
    parse_unified,
    skill_id,
    slug,
    unified,
)

SLUGS = st.from_regex(SLUG.pattern, fullmatch=True)
PARTS = st.text(st.characters(codec="utf-8", exclude_characters="/"), min_size=1, max_size=12)
PATHS = st.lists(PARTS.filter(lambda part: part not in (".", "..")), min_size=1, max_size=4).map(
    "/".join
)


@requirement("skills:ids:round-trip")
@given(SLUGS)
def test_a_memory_id_goes_out_and_comes_back_the_same(text: str) -> None:
    id = unified(memory_id(text))

    assert parse_unified(id) == id
    assert as_memory(id) == text
    assert as_skill(id) is None


@requirement("skills:ids:round-trip")
@given(PATHS)
@example("100%/a b")
@example("%41")
@example("deploy/Blau-Grün")
def test_any_path_has_one_id_and_the_id_gives_the_path_back(path: str) -> None:
    id = skill_id(path)

    assert parse_unified(id) == id
    assert as_skill(id) == unicodedata.normalize("NFC", path)
    assert as_memory(id) is None
    assert not re.search(r"\s|[\x00-\x1f#|\"'\\]", id)


@given(PATHS, PATHS)
@requirement("skills:ids:round-trip")
def test_two_paths_share_an_id_only_when_unicode_says_they_are_one(one: str, other: str) -> None:
    same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)

    assert (skill_id(one) == skill_id(other)) is same


@given(st.text(max_size=40))
def test_whatever_is_accepted_is_in_its_one_spelling_from_then_on(text: str) -> None:
    for prefix in ("", *(f"{name}:" for name in PREFIXES)):
        try:
            id = parse_unified(prefix + text)
        except RefusedError:
            continue
        assert parse_unified(id) == id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("skill:deploy/rollback", "skill:deploy/rollback"),
        ("skill: deploy ", "skill:deploy"),
        ("skill:Blue green", "skill:Blue%20green"),
        ("skill:Blue%20green", "skill:Blue%20green"),
        ("skill:a%2Fb", "skill:a/b"),
        ("skill:ru%CC%88ckbau", "skill:rückbau"),
        ("jwt-over-cookies", "mem:jwt-over-cookies"),
    ],
)
def test_what_a_person_writes_is_read_as_the_one_spelling(text: str, expected: str) -> None:
    assert parse_unified(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("skill:", "skill: ", "skill:/etc/passwd", "skill:../up", "skill:a//b", "skill:a/./b"),
        *("skill:a/%2E%2E/b", "skill:%FF", f"skill:{'x' * 501}", "skill:\udcff"),
        *("mem:", "mem:Jwt", "mem:../x", "Mem:jwt", "SKILL:deploy", "nowhere:x", "Jwt"),
    ],
)
def test_what_names_nothing_or_leads_out_of_the_folder_is_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        parse_unified(text)


def test_case_is_kept_and_counts_in_a_skill_and_is_refused_in_a_memory() -> None:
    assert skill_id("Deploy") == "skill:Deploy" != skill_id("deploy")
    with pytest.raises(RefusedError, match="'Deploy' is not a memory id"):
        parse_unified("mem:Deploy")


@pytest.mark.parametrize("prefix", RESERVED)
def test_a_kind_that_is_still_to_come_is_known_by_name_and_refused(prefix: str) -> None:
    assert prefix not in KINDS
    with pytest.raises(RefusedError, match="yet"):
        parse_unified(f"{prefix}:x")


@given(st.text())
def test_a_slug_of_any_title_is_a_slug(title: str) -> None:
    assert SLUG.fullmatch(slug(title))


def test_a_slug_says_what_the_title_says() -> None:
    assert slug("Déjà vu: JWT & cookies, again!") == "deja-vu-jwt-cookies-again"
    assert slug("漢字") == "memory"


def test_naming_things_costs_a_hook_no_heavy_import() -> None:
    script = (
        "import sys, json\n"
        "from recollect.ids import parse_unified, skill_id, slug\n"
        "before = set(sys.modules)\n"
        "parse_unified('mem:jwt'), parse_unified('skill:deploy/Roll back'), slug('A title')\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == []


SNIPPET = """
from recollect.ids import MemoryId, SkillPath, UnifiedId, parse_unified, skill_id, unified

def takes(id: UnifiedId) -> None: ...

takes(parse_unified("mem:jwt"))
takes(unified(MemoryId("jwt")))
takes(skill_id("deploy"))
takes("mem:jwt")  # wrong: a str
takes(MemoryId("jwt"))  # wrong: a raw memory id
takes(SkillPath("deploy"))  # wrong: a raw path
unified(parse_unified("mem:jwt"))  # wrong: a unified id where a raw one is meant
"""


def test_a_raw_name_where_a_unified_id_is_meant_is_an_error_of_types(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET, "utf-8")
    source = Path(__file__).parents[1] / "src"
    options = ["--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={tmp_path}/cache"]

    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(snippet)],
        env={"MYPYPATH": str(source), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    refused = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line}
    wrong = {number for number, line in enumerate(SNIPPET.split("\n"), 1) if "# wrong" in line}
    assert refused == wrong, done.stdout + done.stderr
    assert MemoryId("jwt") == "jwt"
