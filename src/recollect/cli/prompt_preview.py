"""What a prompt would get now, from which process, and the reason when it would get nothing."""

from dataclasses import dataclass
from typing import Literal

from recollect.app.project import Recollect
from recollect.hook import warm_client
from recollect.hook.prompt import own_strategy
from recollect.records.store import Progress
from recollect.retrieval.gate import judge
from recollect.retrieval.query import skip_reason
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Strategy
from recollect.values import replaced

Door = Literal["hook", "server"]


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The result for a prompt, which process would answer it, and why it gets nothing, if so.

    `by` is None for a prompt that is skipped without a search.
    """

    result: SearchResult
    by: Door | None
    usual: Strategy  # the strategy of that process
    silence: str | None


def prompted(recollect: Recollect, request: Request, progress: Progress) -> PromptPreview:
    """Answer a prompt as the hook would now, outside any session.

    The hook asks a running server, which also searches by meaning when it has a model; without one the hook
    searches by itself. An explicit strategy overrides both.
    """
    skipped = _skip_reason(recollect, request.text)
    by, usual = _door(recollect) if skipped is None else (None, own_strategy(recollect.config))
    text = request.text.strip()[: warm_client.MOST_TEXT if by == "server" else None]
    strategy = request.strategy or usual
    result = recollect.find(replaced(request, text=text, strategy=strategy), progress)
    if skipped:
        result = replaced(
            result, answer=replaced(result.answer, hits=(), verdict=judge(None)), withheld=0
        )
    return PromptPreview(result, by, usual, skipped or _silence(result))


def _door(recollect: Recollect) -> tuple[Door, Strategy]:
    runs = warm_client.is_there(str(recollect.state_folder))
    own = own_strategy(recollect.config)
    if not runs:
        return "hook", own
    best: Strategy = "hybrid" if recollect.search.uses_model else own
    return "server", recollect.config.chosen_strategy or best


def _skip_reason(recollect: Recollect, text: str) -> str | None:
    if not recollect.config.retrieval.enabled:
        return "retrieval.enabled is 0"
    if not recollect.config.retrieval.max_inject:
        return "retrieval.max_inject is 0"
    return skip_reason(text)


def _silence(result: SearchResult) -> str | None:
    answer = result.answer
    if answer.hits or answer.verdict is None:
        return None
    if result.withheld:
        return "the matching memories are about code that has changed since"
    if not answer.total:
        return "no memory matches"
    return (
        f"best match scored {answer.verdict.probability:.2f}; "
        f"the threshold is {answer.verdict.threshold:.2f}"
    )
