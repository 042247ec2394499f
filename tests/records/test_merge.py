import json
import re
from typing import Any

import pytest
from hypothesis import given
from tests.records.documents import memories
from tests.requirements import requirement
from tests.samples import CONTENT, document

from recollect.records.json_format import Json, JsonObject, parse, render, same
from recollect.records.merge import Merged, merge, render_merged
from recollect.records.record import Memory

BASE = document(tags=["a", "b"], times_updated=1, changes=[{"date": "2026-11-01", "summary": "one"}])


def changed(**fields: Any) -> JsonObject:
    """The base with fields changed; `content` changes some of its fields, None removes one."""
    content = dict(CONTENT[Memory.parse(BASE).category]) | fields.pop("content", {})
    whole = BASE | fields | {"content": {k: v for k, v in content.items() if v is not None}}
    return {name: value for name, value in whole.items() if value is not None}


def content(merged: Merged) -> dict[str, Json]:
    found = merged.document["content"]
    assert isinstance(found, dict)
    return found


def taken(data: bytes, side: int) -> bytes:
    """A file with conflicts as a person resolves it: our side (1) of each block, or theirs (2)."""
    block = re.compile(rb"<<<<<<< .*?\n(.*?)=======\n(.*?)>>>>>>> .*?\n", re.DOTALL)
    return block.sub(lambda match: match[side], data)


@given(memories(), memories())
def test_when_only_one_side_changed_the_result_is_that_side_byte_for_byte(
    base: JsonObject, other: JsonObject
) -> None:
    for merged in (merge(base, other, base), merge(base, base, other), merge(base, other, other)):
        assert render(merged.document) == render(other)
        assert merged.clashes == ()


@given(memories(), memories(), memories())
def test_merging_again_what_was_merged_changes_nothing(
    base: JsonObject, ours: JsonObject, theirs: JsonObject
) -> None:
    once = merge(base, ours, theirs)
    again = merge(base, once.document, theirs)

    assert same(_without(again.document, once), _without(once.document, once))


@given(memories(), memories(), memories())
def test_the_sides_may_be_swapped_and_only_the_clashes_are_turned_round(
    base: JsonObject, ours: JsonObject, theirs: JsonObject
) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)

    assert {clash.path for clash in one.clashes} == {clash.path for clash in other.clashes}
    turned = {clash.path: (clash.theirs, clash.ours) for clash in other.clashes}
    assert {clash.path: (clash.ours, clash.theirs) for clash in one.clashes} == turned
    assert same(_sorted(_without(one.document, one)), _sorted(_without(other.document, other)))


def _without(document: JsonObject, merged: Merged) -> JsonObject:
    """A document without the fields that clashed."""
    found: Any = json.loads(json.dumps(document))
    for clash in merged.clashes:
        (found if len(clash.path) == 1 else found["content"]).pop(clash.path[-1], None)
    return dict(found)


def _sorted(document: JsonObject) -> JsonObject:
    """A document whose lists of rows and words are in one order."""
    return {
        name: sorted(value, key=json.dumps) if isinstance(value, list) else value
        for name, value in document.items()
    }


@given(memories(), memories(), memories())
def test_a_conflict_resolved_to_either_side_is_a_valid_memory(
    base: JsonObject, ours: JsonObject, theirs: JsonObject
) -> None:
    merged = merge(base, ours, theirs)
    data = render_merged(merged)

    for side in (1, 2):
        resolved = parse(taken(data, side), "x")
        Memory.parse(resolved)
        for clash in merged.clashes:
            wanted = clash.ours if side == 1 else clash.theirs
            place = resolved if len(clash.path) == 1 else resolved["content"]
            assert isinstance(place, dict)
            assert {k: v for k, v in place.items() if k == clash.path[-1]} == wanted


def test_fields_changed_by_one_side_each_are_both_kept() -> None:
    merged = merge(BASE, changed(title="Ours"), changed(confidence=0.5))

    assert merged.clashes == ()
    assert merged.document["title"] == "Ours"
    assert merged.document["confidence"] == 0.5


def test_fields_of_the_content_are_merged_one_by_one() -> None:
    merged = merge(
        BASE,
        changed(content={"status": "deprecated"}),
        changed(content={"context": "Else.", "note": 1}),
    )

    assert merged.clashes == ()
    assert content(merged)["status"] == "deprecated"
    assert content(merged)["context"] == "Else."
    assert content(merged)["note"] == 1


@requirement("records:merge:sets")
@pytest.mark.parametrize("name", ["tags", "related_files"])
def test_words_take_the_additions_and_removals_of_both_sides(name: str) -> None:
    sides = (["a", "b"], ["b", "c"], ["a", "b", "d"])
    base, ours, theirs = (changed(**{name: words}) for words in sides)

    assert merge(base, ours, theirs).document[name] == ["b", "c", "d"]


def test_links_and_anchors_of_both_sides_are_kept() -> None:
    one, two = {"type": "caused", "target": "mem:x"}, {"type": "supports", "target": "mem:x"}
    here, there = {"path": "a.py", "digest": "d"}, {"path": "a.py", "digest": "e", "lines": "1-2"}

    merged = merge(BASE, changed(links=[one], anchors=[here]), changed(links=[two], anchors=[there]))

    assert merged.clashes == ()
    assert merged.document["links"] == [one, two]
    assert merged.document["anchors"] == [here, there]


def test_the_same_link_with_two_pieces_of_evidence_is_a_conflict() -> None:
    link = {"type": "caused", "target": "mem:x"}

    merged = merge(
        BASE, changed(links=[link | {"evidence": "a"}]), changed(links=[link | {"evidence": "b"}])
    )

    assert [clash.path for clash in merged.clashes] == [("links",)]


def test_a_place_anchored_anew_by_both_sides_is_a_conflict() -> None:
    place = {"path": "a.py", "lines": "1-2"}

    merged = merge(
        changed(anchors=[place | {"digest": "0"}]),
        changed(anchors=[place | {"digest": "1"}]),
        changed(anchors=[place | {"digest": "2"}]),
    )

    assert [clash.path for clash in merged.clashes] == [("anchors",)]


def test_tags_are_never_merged_into_none() -> None:
    merged = merge(BASE, changed(tags=["a"]), changed(tags=["b"]))

    assert [clash.path for clash in merged.clashes] == [("tags",)]


def test_the_history_of_both_sides_is_put_in_the_order_of_time() -> None:
    first = {"date": "2026-11-01", "summary": "one"}
    ours, theirs = {"date": "2026-11-03", "summary": "o"}, {"date": "2026-11-02", "summary": "t"}

    merged = merge(
        BASE,
        changed(changes=[first, ours], times_updated=2, updated_at="2026-11-17T10:00:00Z"),
        changed(changes=[first, theirs], times_updated=2, updated_at="2026-11-16T10:00:00+01:00"),
    )

    assert merged.clashes == ()
    assert merged.document["changes"] == [first, theirs, ours]
    assert merged.document["times_updated"] == 3
    assert merged.document["updated_at"] == "2026-11-17T10:00:00Z"


def test_the_merged_history_keeps_the_newest_fifty() -> None:
    def rows(letter: str) -> list[dict[str, str]]:
        return [{"date": f"2026-11-{n:02}T00:00:00Z", "summary": f"{letter}{n}"} for n in range(1, 31)]

    merged = merge(BASE, changed(changes=rows("o")), changed(changes=rows("t")))

    found = merged.document["changes"]
    assert isinstance(found, list)
    assert len(found) == 50
    Memory.parse(merged.document)


def test_a_count_that_one_side_removed_is_kept_and_does_not_depend_on_what_it_was() -> None:
    rows = [{"date": "2026-11-02", "summary": word} for word in ("a", "b", "c")]
    base = changed(times_updated=3, changes=[])
    ours, theirs = changed(times_updated=0, changes=rows), changed(times_updated=None, changes=None)

    once = merge(base, ours, theirs)

    assert once.document["times_updated"] == 3
    assert merge(base, once.document, theirs).document["times_updated"] == 3


def test_the_newer_format_wins() -> None:
    base, ours, theirs = (changed(schema_version=version) for version in ("1.0", "1.2", "1.1"))

    assert merge(base, ours, theirs).document["schema_version"] == "1.2"


@requirement("records:merge:clash")
def test_a_field_that_both_changed_differently_is_a_conflict_and_the_rest_is_merged() -> None:
    merged = merge(
        BASE,
        changed(title="Ours", tags=["a", "b", "c"], content={"decision": "Left."}),
        changed(title="Theirs", confidence=1, content={"decision": "Right."}),
    )

    assert [(clash.path, clash.ours, clash.theirs) for clash in merged.clashes] == [
        (("title",), {"title": "Ours"}, {"title": "Theirs"}),
        (("content", "decision"), {"decision": "Left."}, {"decision": "Right."}),
    ]
    assert merged.document["tags"] == ["a", "b", "c"]
    assert merged.document["confidence"] == 1


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    merged = merge(BASE, changed(title="Same", confidence=1), changed(title="Same"))

    assert merged.clashes == ()
    assert merged.document["title"] == "Same"


def test_a_field_that_one_side_removed_is_gone_and_one_that_the_other_changed_is_a_conflict() -> None:
    base = changed(confidence=0.5, related_files=["x"])

    merged = merge(base, changed(related_files=["x"], title="o"), changed(confidence=0.5, title="t"))
    assert "confidence" not in merged.document
    assert "related_files" not in merged.document

    merged = merge(base, changed(title="Ours"), changed(confidence=0.9))
    assert ("confidence",) in [clash.path for clash in merged.clashes]


def test_markers_stand_round_the_clashing_field_only() -> None:
    merged = merge(
        BASE,
        changed(content={"rationale": ["Left.", "Both."]}, tags=["a", "b", "c"]),
        changed(content={"rationale": ["Right.", "Both."]}, tags=["a", "b", "d"]),
    )

    text = render_merged(merged).decode()

    start, end = text.index("<<<<<<<"), text.index(">>>>>>>")
    assert text[start:end] == (
        '<<<<<<< ours\n    "rationale": [\n      "Left.",\n      "Both."\n    ]\n'
        '=======\n    "rationale": [\n      "Right.",\n      "Both."\n    ]\n'
    )
    assert text[end:].startswith(">>>>>>> theirs\n")
    whole = render(merged.document).decode()
    assert text[:start] in whole
    assert text[end:].partition("\n")[2] in whole


def test_markers_stand_round_the_right_one_of_two_fields_that_look_the_same() -> None:
    team: JsonObject = {"a-team": {"decision": "Left."}}
    merged = merge(
        team | BASE,
        team | changed(content={"decision": "Left."}),
        team | changed(content={"decision": "Right."}),
    )

    resolved = parse(taken(render_merged(merged), 2), "x")

    assert resolved["a-team"] == team["a-team"]
    assert resolved["content"]["decision"] == "Right."  # type: ignore[index,call-overload]


def test_a_last_field_that_one_side_removed_leaves_no_comma_behind() -> None:
    base, theirs = changed(content={"note": 1}), changed(content={"note": 2})
    data = render_merged(merge(base, changed(title="Ours"), theirs))

    assert "note" not in str(parse(taken(data, 1), "x")["content"])
    assert parse(taken(data, 2), "x")["content"]["note"] == 2  # type: ignore[index,call-overload]


def test_two_new_files_of_one_name_clash_where_they_differ() -> None:
    merged = merge({}, changed(title="Ours"), changed(title="Theirs"))

    assert [clash.path for clash in merged.clashes] == [("title",)]


def test_a_merge_without_conflict_is_rendered_as_any_memory() -> None:
    merged = merge(BASE, changed(title="Ours"), changed(confidence=1))

    assert render_merged(merged) == render(merged.document)
