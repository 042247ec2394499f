"""One sentence that another tool remembered: what it becomes here, or why it becomes nothing.

Every word is the other tool's. A sentence that states no rule, choice, fix or debt has no equivalent among
memories, and the report names it.
"""

import re
from collections.abc import Iterable

from recollect.clock import from_text, to_text
from recollect.errors import RefusedError
from recollect.importing.incoming import Incoming, Skipped, source
from recollect.records.categories import Category
from recollect.records.draft import Draft
from recollect.records.json_format import Json
from recollect.records.sentence.derivation import derive

NO_EQUIVALENT = "states a fact, not a rule, choice, fix or debt; memories have no equivalent"
_MOST_TAGS = 8
_TAG = re.compile(r"\w[\w.+#-]{0,39}")


def note(
    text: str,
    origin: str,
    *,
    tags: Iterable[object] = (),
    at: object = "",
    category: Category | None = None,
    subject: str = "",
) -> Incoming | Skipped:
    """The memory that a sentence becomes. `at` is when it was written down, `subject` what it is about.

    Without a `category` that the other tool named, its words choose one.
    """
    sentence = " ".join(text.split())
    try:
        derived = derive(sentence, category)
    except RefusedError as error:
        return Skipped(origin, str(error))
    if category is None and not derived.signals:
        return Skipped(origin, NO_EQUIVALENT)
    document = derived.document
    if subject:
        document["title"] = f"{subject}: {document['title']}"[:120].strip()
    named = [tag for tag in map(_tag, tags) if tag]
    own = document["tags"]
    document["tags"] = list[Json](dict.fromkeys([*named, *_texts(own)]))[:_MOST_TAGS]
    if moment := _moment(at):
        document["created_at"] = moment
    document["source"] = source(origin, f"{subject}\n{sentence}")
    return Incoming(origin, Draft(document))


def _texts(value: Json) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _tag(value: object) -> str:
    text = "-".join(str(value).lower().lstrip("#").split()) if isinstance(value, str) else ""
    return text if _TAG.fullmatch(text) else ""


def _moment(value: object) -> str:
    try:
        return to_text(from_text(value)) if isinstance(value, str) and value else ""
    except (ValueError, OverflowError):
        return ""
