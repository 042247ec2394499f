"""What a session pays attention to among the memories."""

import pytest
from tests.requirements import requirement
from tests.samples import draft
from tests.working.items import item

from recollect.app.attention import ABOUT_ONE_FILE, attention_of
from recollect.app.project import Recollect
from recollect.ids import UnifiedId
from recollect.records.memories import Saved
from recollect.records.record import Link, LinkType
from recollect.retrieval.request import Request
from recollect.working.session import WorkingMemory

LOGIN = WorkingMemory((item("edited", 0.8, 4, paths=("src/login.py",)),), 5)


def saved(project: Recollect, title: str, *files: str) -> UnifiedId:
    done = project.memories.save(draft(title, related_files=list(files)), allow_repeat=True)
    assert isinstance(done, Saved)
    return done.stored.memory.unified_id


@requirement("working:boost:files")
def test_a_memory_about_a_file_in_mind_has_the_attention_of_its_item(project: Recollect) -> None:
    login = saved(project, "Hash the login", "src/login.py")
    saved(project, "Another login", "web/login.py")
    saved(project, "Sort the cart", "src/cart.py")

    found = attention_of(LOGIN, {}, project.finder.index.update())

    assert found.levels == {login: pytest.approx(0.68)}


@requirement("working:boost:files")
def test_a_file_that_very_many_memories_are_about_says_little_of_any(project: Recollect) -> None:
    for number in range(ABOUT_ONE_FILE + 1):
        saved(project, f"Rule number {number} of the login", "src/login.py")

    assert attention_of(LOGIN, {}, project.finder.index.update()).levels == {}


def test_a_memory_that_was_used_is_in_attention_at_the_higher_of_its_levels(project: Recollect) -> None:
    login = saved(project, "Hash the login", "src/login.py")
    other = UnifiedId("mem:other")

    found = attention_of(LOGIN, {login: 0.7, other: 0.3}, project.finder.index.update())

    assert found.levels == {login: 0.7, other: 0.3}


def test_what_is_linked_to_a_memory_in_attention_is_one_or_two_hops_away(project: Recollect) -> None:
    login = saved(project, "Hash the login", "src/login.py")
    near, far, farther = (saved(project, f"Reason {name}") for name in ("near", "far", "farther"))
    for holder, target in ((login, near), (near, far), (far, farther)):
        link = Link(LinkType.DERIVED_FROM, target)
        project.memories.link(holder.removeprefix("mem:"), link)
    index = project.finder.index.update()

    found = attention_of(LOGIN, {}, index, index.edges())

    assert found.hops == {near: 1, far: 2}


def test_attention_moves_a_hit_and_absence_of_it_changes_nothing(project: Recollect) -> None:
    first = saved(project, "Expire the token of a login", "src/token.py")
    second = saved(project, "Expire the token of a login page", "src/login.py")
    index = project.finder.index.update()
    plain = Request("expire token login", strategy="fts5_bm25")
    nothing = attention_of(WorkingMemory(), {}, index)
    login = attention_of(LOGIN, {}, index)

    def ids(request: Request) -> list[UnifiedId]:
        return [hit.document.id for hit in project.find(request).answer.hits]

    assert ids(plain) == [first, second]
    assert ids(Request(plain.text, strategy="fts5_bm25", attention=nothing)) == [first, second]
    assert ids(Request(plain.text, strategy="fts5_bm25", attention=login)) == [second, first]
