"""Sessions: what agents pay attention to, what happened, and what their prompts were given."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from recollect.app.project import Recollect
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.team.roles import Permission
from recollect.views.session_page import SessionPageOutput, session_page
from recollect.views.sessions import SessionsOutput, session_row
from recollect.web.page import WebPage, in_project

_SCORINGS = 500  # the last ones of all sessions, to explain injections with


@dataclass(frozen=True, slots=True)
class SessionQuery:
    """Which session."""

    id: Annotated[
        str, Field(max_length=500, description="Its id, or the beginning of it. [the last]")
    ] = ""


def _sessions(recollect: Recollect, _: ApiCall[WebPage]) -> SessionsOutput:
    return {"sessions": [session_row(session) for session in recollect.sessions.all()]}


def _session(recollect: Recollect, call: ApiCall[WebPage]) -> SessionPageOutput:
    query: SessionQuery = call.query
    view = recollect.sessions.view(query.id or None)
    id = view.session.id if view else ""
    activity = recollect.sessions.activity(id)
    titles = {}
    for memory in {injection.memory for injection in activity.injections}:
        if stored := recollect.graphs.memory(memory):
            titles[memory] = stored.title
    scorings = [trace for trace in recollect.traces.latest(_SCORINGS, "gate") if trace.session == id]
    return session_page(view, activity, titles, scorings)


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET",
        "sessions",
        Permission.READ_SESSIONS,
        "The sessions, the last first.",
        SessionsOutput,
        in_project(_sessions),
    ),
    Endpoint(
        "GET",
        "session",
        Permission.READ_MEMORIES,
        "One session: its working memory, what happened, and what its prompts were given.",
        SessionPageOutput,
        in_project(_session),
        SessionQuery,
    ),
)
