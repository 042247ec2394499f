"""What the project remembers about a tool: its constraints and runbooks come with the description."""

from recollect.app.project import Recollect
from recollect.gateway.tool import UpstreamTool, spelled_out
from recollect.records.categories import Category
from recollect.retrieval.index import Document
from recollect.retrieval.request import Request
from recollect.text.tokens import tokens
from recollect.values import replaced

_KINDS = frozenset({Category.CONSTRAINT, Category.RUNBOOK})
_LOOKED_AT = 10  # hits of the search
_MOST = 3


def memories_about(recollect: Recollect, tool: UpstreamTool) -> list[Document]:
    """Constraints and runbooks in force that name the tool or its server, best first."""
    request = Request(
        f"{tool.server} {spelled_out(tool.name)}",
        filters=replaced(recollect.current, categories=_KINDS, only_trusted=True),
        limit=_LOOKED_AT,
        session="",
    )
    names = {_spelling(tool.server), _spelling(tool.name)}
    hits = recollect.find(request).answer.hits
    return [hit.document for hit in hits if names & _names(hit.document)][:_MOST]


def _names(document: Document) -> set[str]:
    return set(tokens(" ".join((document.title, *document.tags, document.body))))


def _spelling(name: str) -> str:
    """A name as the token that is the same for every spelling of it."""
    return next(iter(tokens(name)), "")
