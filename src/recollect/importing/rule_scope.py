"""The files that a rules file is about: `globs` in Cursor's, `applyTo` in Copilot's."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from recollect.importing.incoming import Incoming, Skipped
from recollect.markdown import front_matter
from recollect.records.draft import Draft
from recollect.records.json_format import Json

_KEYS = ("globs", "applyto")
_EVERYTHING = frozenset({"*", "**", "**/*"})


def patterns(text: str) -> list[str]:
    """The patterns of files in the front matter of a rules file; none for all files."""
    values, _, _ = front_matter.split(text)
    named = [
        part.strip() for key in _KEYS for value in values.get(key, ()) for part in value.split(",")
    ]
    return [pattern for pattern in dict.fromkeys(named) if pattern and pattern not in _EVERYTHING]


def scoped(parts: Iterable[Incoming | Skipped], text: str) -> Iterator[Incoming | Skipped]:
    """These rules, about the files that the rules file is about."""
    files = patterns(text)
    for part in parts:
        if files and isinstance(part, Incoming) and isinstance(part.memory, Draft):
            document = {**part.memory.document, "related_files": list[Json](files)}
            yield replace(
                part, memory=Draft(document), notes=(*part.notes, f"about {', '.join(files)}")
            )
        else:
            yield part
