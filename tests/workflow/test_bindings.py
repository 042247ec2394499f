"""Where arguments come from: learned from three calls that agree, and forgotten when one does not."""

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from recollect.records.json_format import Json
from recollect.workflow.bindings import Binding, FinishedCall, binding_of, bound_arguments


def search(id: str) -> FinishedCall:
    return FinishedCall("hub:search", {"text": f"about {id}"}, {"items": [{"id": id, "size": 1}]})


def read(id: Json) -> FinishedCall:
    return FinishedCall("hub:read", {"issue": id}, {"title": "x"})


def learned(calls: list[tuple[FinishedCall, FinishedCall]]) -> Binding:
    bindings = [binding_of(after, [before]) for before, after in calls]
    assert all(binding is not None for binding in bindings)
    return reduce(Binding.agreeing, (binding for binding in bindings if binding is not None))


def test_a_field_that_fed_an_argument_three_times_feeds_it_again() -> None:
    binding = learned([(search(id), read(id)) for id in ("7", "8", "9")])

    assert binding.is_known
    assert bound_arguments(binding, [search("12")]) == {"issue": "12"}


def test_twice_is_not_enough() -> None:
    assert not learned([(search(id), read(id)) for id in ("7", "8")]).is_known


def test_a_call_that_disagrees_starts_again() -> None:
    binding = learned([(search("7"), read("7")), (search("8"), read("8")), (search("9"), read("1"))])

    assert binding.count == 1


def test_other_arguments_start_again() -> None:
    longer = FinishedCall("hub:read", {"issue": "9", "full": True}, None)

    assert learned([(search("7"), read("7")), (search("9"), longer)]).count == 1


def test_an_argument_of_the_call_before_can_be_the_source() -> None:
    def status(folder: str) -> FinishedCall:
        return FinishedCall("git:status", {"repo": folder}, "clean")

    def log(folder: str) -> FinishedCall:
        return FinishedCall("git:log", {"repo": folder, "count": 5}, "")

    binding = learned([(status(folder), log(folder)) for folder in ("a", "b", "c")])

    assert bound_arguments(binding, [status("d")]) == {"repo": "d", "count": 5}


def test_a_field_that_is_missing_leaves_the_arguments_unknown() -> None:
    binding = learned([(search(id), read(id)) for id in ("7", "8", "9")])

    assert bound_arguments(binding, [FinishedCall("hub:search", {}, {"items": []})]) is None
    assert bound_arguments(binding, []) is None


def test_sources_that_give_different_values_leave_the_arguments_unknown() -> None:
    def pair(first: str, second: str) -> FinishedCall:
        return FinishedCall("hub:search", {}, {"id": first, "parent": second})

    binding = learned([(pair(id, id), read(id)) for id in ("7", "8", "9")])

    assert bound_arguments(binding, [pair("1", "1")]) == {"issue": "1"}
    assert bound_arguments(binding, [pair("1", "2")]) is None


def test_types_must_match() -> None:
    binding = binding_of(read(True), [FinishedCall("hub:search", {}, {"found": 1})])

    assert binding is not None
    assert {source.part for source in binding.sources["issue"]} == {"value"}


def test_arguments_that_are_lists_are_not_learned() -> None:
    assert binding_of(read(["7"]), [search("7")]) is None


def test_a_tool_that_was_called_without_arguments_three_times_needs_none() -> None:
    binding = learned([(search(id), FinishedCall("hub:me", {}, None)) for id in ("7", "8", "9")])

    assert bound_arguments(binding, []) == {}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.dictionaries(st.text(max_size=4), json_values, max_size=3))
def test_what_explains_a_call_gives_its_arguments_again(
    output: Json, arguments: dict[str, Json]
) -> None:
    before = [FinishedCall("a:b", {"x": 1}, output)]
    binding = binding_of(FinishedCall("a:c", arguments, None), before)

    if binding is not None:
        assert bound_arguments(binding, before) == arguments
