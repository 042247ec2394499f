"""Labelled data in the plain layout: a folder of gzip-compressed JSON lines.

`corpus` {id, group?, title, text, status?, in_force?}, `queries` {id, group?, text, before?}, `qrels`
{query, doc, grade}. A query searches only its group; `before` hides documents whose id sorts at or after it.
A query may have a `kind`; one that no document answers then belongs to the set all the same. A tool set has
`tools` {server, name, description, input_schema} in place of a corpus. A set of decisions has only `cases`
{query, memories[], should_use}: every case is a group of its own, and no memory of it is labelled.

An id that is a whole number is read as text, in every file. A document's id is unique in its group, a
query's in the set. A grade is a whole number; 0 or less means that the document is not an answer, like a
missing grade. A document whose `in_force` is false is never given to a prompt.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.bench.json_lines import JsonLine, read
from recollect.gateway.tool import UpstreamTool, parameters

Note = Callable[[str], None]
CASES = "cases.jsonl.gz"


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A document of a set."""

    id: str
    group: str
    title: str
    text: str
    status: str = ""
    in_force: bool = True


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query of a set, with the grades of the documents that answer it."""

    id: str
    group: str
    text: str
    before: str | None
    grades: dict[str, int]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A labelled set. `timed` means that queries only search earlier documents, which are in time order.

    `decisions` means that a query is labelled by whether it needs its documents, not by which of them.
    """

    name: str
    texts: tuple[LabelledText, ...]
    questions: tuple[LabelledQuery, ...]
    timed: bool
    decisions: bool = False


def load(folder: Path, note: Note = lambda _: None) -> DataSet:
    """Read a set. Raises NotFoundError or InvalidError, which name the file and the line.

    Labels of unknown queries or documents are left out and reported to `note`.
    """
    if (folder / CASES).exists():
        return _decisions(folder)
    labels = list(read(folder / "qrels.jsonl.gz"))
    query_lines = _once(read(folder / "queries.jsonl.gz"), lambda line: ("", line.name("id")))
    texts = tuple(_texts(folder))
    grades = _grades(labels, {id for _, id in query_lines}, {text.id for text in texts}, note)
    questions = tuple(
        LabelledQuery(
            id,
            line.name_or_none("group") or "",
            line.text("text"),
            line.name_or_none("before"),
            grades.get(id, {}),
            line.name_or_none("kind") or "",
        )
        for (_, id), line in query_lines.items()
    )
    timed = any(question.before for question in questions)
    return DataSet(folder.resolve().name, texts, questions, timed)


def _decisions(folder: Path) -> DataSet:
    """A set of cases. In one that should use its memories each of them counts as an answer."""
    texts: list[LabelledText] = []
    questions: list[LabelledQuery] = []
    for line in read(folder / CASES):
        group, needed = str(line.number), line.flag("should_use")
        own = [
            LabelledText(f"{group}-{place}", group, "", text)
            for place, text in enumerate(line.texts("memories"))
        ]
        grades = {text.id: 1 for text in own} if needed else {}
        kind = "should_use" if needed else "should_not_use"
        texts += own
        questions.append(LabelledQuery(group, group, line.text("query"), None, grades, kind))
    return DataSet(folder.resolve().name, tuple(texts), tuple(questions), timed=False, decisions=True)


def _once(
    lines: Iterable[JsonLine], key: Callable[[JsonLine], tuple[str, str]]
) -> dict[tuple[str, str], JsonLine]:
    """Lines by group and id. Raises InvalidError for a duplicate."""
    lines_by_key: dict[tuple[str, str], JsonLine] = {}
    for line in lines:
        group, id = key(line)
        first = lines_by_key.setdefault((group, id), line)
        if first is not line:
            raise line.wrong(
                f"the id {id!r} is also that of line {first.number}; change or remove one of them"
            )
    return lines_by_key


def _grades(
    labels: list[JsonLine], queries: Container[str], documents: Container[str], note: Note
) -> dict[str, dict[str, int]]:
    """The grades of the documents that answer each query."""
    grades_by_query: dict[str, dict[str, int]] = {}
    strange: list[JsonLine] = []
    for line in labels:
        query, document, grade = line.name("query"), line.name("doc"), line.grade("grade")
        if query not in queries or document not in documents:
            strange.append(line)
        elif grade > 0:
            grades_by_query.setdefault(query, {})[document] = grade
    if strange:
        note(
            f"{str(strange[0].path)!r}: {len(strange)} of {len(labels)} lines name a query or a document "
            f"that the set does not have, the first of them line {strange[0].number}; they are left out"
        )
    return grades_by_query


def _texts(folder: Path) -> Iterator[LabelledText]:
    if (folder / "tools.jsonl.gz").exists():
        tools = list(tools_of(folder))
        several = len({tool.server for tool in tools}) > 1
        for tool in tools:
            title = f"{tool.server} {tool.name}" if several else tool.name
            yield LabelledText(tool.id, "", title, _tool_text(tool))
        return
    documents = _once(
        read(folder / "corpus.jsonl.gz"),
        lambda line: (line.name_or_none("group") or "", line.name("id")),
    )
    for (group, id), line in documents.items():
        yield LabelledText(
            id,
            group,
            line.text_or_empty("title"),
            line.text("text"),
            line.text_or_empty("status"),
            line.row.get("in_force") is not False,
        )


def tools_of(folder: Path) -> Iterator[UpstreamTool]:
    """The tools of a tool set. Raises InvalidError for a duplicate."""
    lines = _once(read(folder / "tools.jsonl.gz"), lambda line: ("", _tool_id(line)))
    for line in lines.values():
        schema = line.row.get("input_schema")
        yield UpstreamTool(
            line.name("server"),
            line.name("name"),
            line.text_or_empty("description"),
            schema if isinstance(schema, dict) else {},
        )


def _tool_id(line: JsonLine) -> str:
    return f"{line.name('server')}:{line.name('name')}"


def _tool_text(tool: UpstreamTool) -> str:
    details = [f"{each.name}: {each.about}" for each in parameters(tool.input_schema)]
    return "\n".join([tool.description, *details])
