"""What a prompt would be given now: by whom, and why nothing when it is nothing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from recollect.hook import warm_client
from recollect.hook.prompt import own_strategy
from recollect.retrieval.enrich import left_alone
from recollect.retrieval.gate import judge
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Strategy
from recollect.values import replaced

if TYPE_CHECKING:
    from recollect.app.project import Recollect
    from recollect.records.store import Progress

Door = Literal["hook", "server"]


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """What was found for a prompt, which door would have answered it, and why nothing is given, if so.

    No door looks at a prompt that is left alone.
    """

    found: SearchResult
    by: Door | None
    usual: Strategy  # what that door searches with
    silence: str | None


def prompted(recollect: "Recollect", request: Request, progress: "Progress") -> PromptPreview:
    """Answer a prompt as the hook would here and now, outside any session.

    While a server runs the hook asks it, and it goes by meaning too when it has a model; else the hook
    answers by itself. A strategy that was asked for counts instead.
    """
    alone = _left_alone(recollect, request.text)
    by, usual = _door(recollect) if alone is None else (None, own_strategy(recollect.config))
    text = request.text.strip()[: warm_client.MOST_TEXT if by == "server" else None]
    found = recollect.find(replaced(request, text=text, strategy=request.strategy or usual), progress)
    if alone:
        found = replaced(found, answer=replaced(found.answer, hits=(), verdict=judge(None)), withheld=0)
    return PromptPreview(found, by, usual, alone or _silence(found))


def _door(recollect: "Recollect") -> tuple[Door, Strategy]:
    runs = warm_client.is_there(str(recollect.project.root.state))
    own = own_strategy(recollect.config)
    if not runs:
        return "hook", own
    return "server", own if recollect.finder.embedder is None else "hybrid"


def _left_alone(recollect: "Recollect", text: str) -> str | None:
    if not recollect.config.retrieval.max_inject:
        return "retrieval.max_inject is 0"
    return left_alone(text)


def _silence(found: SearchResult) -> str | None:
    answer = found.answer
    if answer.hits or answer.verdict is None:
        return None
    if found.withheld:
        return "what was found speaks of code that has changed since"
    if not answer.total:
        return "nothing matches"
    return (
        f"the best of {answer.total} is worth it with probability {answer.verdict.probability:.2f}, "
        f"and {answer.verdict.threshold:.2f} is needed"
    )
