"""The screen of `recollect review`: keys in, decisions out."""

from contextlib import suppress
from dataclasses import replace

import typer

from recollect.app.review.deciding import Deciding
from recollect.app.review.source import ReviewAct, ReviewDecision, ReviewItem
from recollect.cli.output import counted, safe, say
from recollect.cli.raw_terminal import RawTerminal, opened_terminal
from recollect.cli.review_screen import ACTS, ReviewScreen
from recollect.errors import RecollectError
from recollect.records.json_format import JsonObject, parse, render
from recollect.retrieval.request import Request

_EDITED = ("title", "tags", "related_files", "content")
_OFFERED = 5  # memories to merge into


def run_review(deciding: Deciding, kind: str) -> None:
    """Show what waits until the person quits, and say what was decided."""
    items = tuple(deciding.waiting(kind))
    with opened_terminal() as terminal:
        session = _ReviewSession(deciding, terminal, kind, ReviewScreen(items))
        with suppress(KeyboardInterrupt, EOFError):
            session.run()
    left = len(session.screen.items)
    say(f"{counted(session.decided, 'decision')} made, {left} still waiting.")


class _ReviewSession:
    """One sitting. The screen is a value; this replaces it."""

    def __init__(
        self, deciding: Deciding, terminal: RawTerminal, kind: str, screen: ReviewScreen
    ) -> None:
        self._deciding, self._terminal, self._kind = deciding, terminal, kind
        self.screen, self.decided = screen, 0

    def run(self) -> None:
        while True:
            self._terminal.show(self.screen.lines(*self._terminal.size))
            keys = self._terminal.key()
            for key in keys if not keys.startswith("\x1b") else ():
                if key == "q":
                    return
                self._press(key)

    def _press(self, key: str) -> None:
        if self.screen.shows_help:
            self.screen = replace(self.screen, shows_help=False)
            return
        match key:
            case "j" | "l":
                self.screen = self.screen.moved(1)
            case "k":
                self.screen = self.screen.moved(-1)
            case " " | "b":
                step = 10 if key == " " else -10
                self.screen = replace(self.screen, scrolled=max(self.screen.scrolled + step, 0))
            case "?":
                self.screen = replace(self.screen, shows_help=True)
            case "u":
                self._undo()
            case _ if key in ACTS:
                self._act(ACTS[key])

    def _act(self, act: ReviewAct) -> None:
        item = self.screen.item
        if item is None or act not in item.acts:
            self._say(f"{act} is not possible here.")
            return
        try:
            decision = self._decision(item, act)
            if decision is None:
                return
            outcome = self._deciding.decide(item, decision)
        except RecollectError as error:
            self._say(str(error))
            return
        self.decided += 1
        if act == "edit":
            self._reload(outcome.text)
        else:
            hint = "  (u undoes it)" if outcome.undo else ""
            self.screen = self.screen.without_item(outcome.text + hint)

    def _decision(self, item: ReviewItem, act: ReviewAct) -> ReviewDecision | None:
        """What the person decided; None when they changed their mind, or did it in an editor."""
        if act in item.asks and not self._is_confirmed(f"{item.acts[act]}? y or n"):
            return None
        if act == "edit":
            return self._edit(item)
        if act == "merge":
            target = self._target(item)
            return ReviewDecision(act, target) if target else None
        return ReviewDecision(act)

    def _is_confirmed(self, question: str) -> bool:
        self._say(question)
        self._terminal.show(self.screen.lines(*self._terminal.size))
        confirmed = self._terminal.key() == "y"
        self._say("")
        return confirmed

    def _edit(self, item: ReviewItem) -> ReviewDecision | None:
        from recollect.cli.edit import edit_in_editor
        from recollect.cli.editor import edited_text

        with self._terminal.lent():
            if item.document is None:
                edit_in_editor(self._deciding.recollect.home_of(item.memory), item.memory, None)
                self.decided += 1
                self._reload(f"Edited {item.memory}.")
                return None
            before: JsonObject = {
                name: item.document[name] for name in _EDITED if name in item.document
            }
            text = edited_text(f"{item.key}.json", render(before).decode())
        after = parse(text.encode(), "the edited draft")
        fields: JsonObject = {name: after.get(name) for name in {*before, *after}}
        return ReviewDecision("edit", fields=fields) if after != before else None

    def _target(self, item: ReviewItem) -> str:
        recollect = self._deciding.recollect
        category = (item.document or {}).get("category")
        hits = recollect.search.find(Request(item.title, limit=_OFFERED * 4), traced=False).answer.hits
        ids = [
            (hit.document.id.removeprefix("mem:"), hit.document.title)
            for hit in hits
            if hit.document.category == category
        ][:_OFFERED]
        with self._terminal.lent():
            for number, (id, title) in enumerate(ids, start=1):
                say(f"  [bold]{number}[/] {safe(title)} [dim]{id}[/]")
            answer = str(typer.prompt("Merge into (a number or an id; empty goes back)", default=""))
        numbers = {str(number): id for number, (id, _) in enumerate(ids, start=1)}
        return numbers.get(answer.strip(), answer.strip())

    def _undo(self) -> None:
        try:
            title = self._deciding.undo()
        except RecollectError as error:
            self._say(str(error))
            return
        self.decided -= bool(title)
        self._reload(f"Undone: {title}" if title else "There is no decision to undo.", title)

    def _reload(self, message: str, title: str = "") -> None:
        """Read again what waits; the item of that title is chosen, else the one at the same place."""
        items = tuple(self._deciding.waiting(self._kind))
        same_place = min(self.screen.at, max(len(items) - 1, 0))
        at = next((at for at, item in enumerate(items) if item.title == title), same_place)
        self.screen = ReviewScreen(items, at, message=message)

    def _say(self, message: str) -> None:
        self.screen = replace(self.screen, message=message)
