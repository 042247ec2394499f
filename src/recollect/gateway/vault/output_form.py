"""How the value that a result gave to other tasks stands in the parts that the vault stores of it."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from recollect.errors import NotFoundError
from recollect.gateway.vault.content import BinaryPart, JsonPart, Part
from recollect.records.json_format import Json

# "value": the first part is it; "result": the first part is the text of its only field; "text": all texts.
OutputForm: TypeAlias = Literal["", "value", "result", "text"]
_FORMS: tuple[OutputForm, ...] = ("value", "result", "text")


def output_form(parts: Sequence[Part], output: Json) -> OutputForm:
    """The form in which the parts have this output; empty when it cannot be made of them again."""
    for form in _FORMS:
        try:
            if stored_output(parts, form) == output:
                return form
        except NotFoundError:
            continue
    return ""


def stored_output(parts: Sequence[Part], form: OutputForm) -> Json:
    """The output that the parts have in this form. Raises NotFoundError when they do not."""
    texts = [
        part.text for part in parts if not isinstance(part, JsonPart | BinaryPart) and not part.name
    ]
    match form, parts:
        case "value", [JsonPart(value), *_]:
            return value
        case "result", _ if texts:
            return {"result": texts[0]}
        case "text", _ if texts:
            return "\n".join(texts)
    raise NotFoundError(f"the stored result has no {form!r} output.")
