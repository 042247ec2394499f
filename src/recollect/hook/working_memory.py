"""Working memory at the hook: what tools returned goes in, and what a session has in mind comes out.

Nothing is kept of what Recollect itself said, and nothing is kept that has not passed the gate.
"""

from __future__ import annotations

import os

from recollect.hook.databases import open_state
from recollect.storage.sqlite.index_file import NAME as INDEX_NAME
from recollect.storage.sqlite.state import NAME as STATE_NAME
from recollect.storage.sqlite.state import now
from recollect.storage.sqlite.working import ToolCall, WorkingStore
from recollect.values import replaced
from recollect.working.echo import is_echo, is_ours, without_echo
from recollect.working.session import Item, Provenance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths
    from recollect.ids import UnifiedId
    from recollect.retrieval.boosts import Attention
    from recollect.storage.sqlite.index import SqliteIndex
    from recollect.storage.sqlite.state import StateDatabase
    from recollect.storage.sqlite.working import CallOutcome, Redact
    from recollect.working.rules import Extracted, Rule

_MOST_RUNBOOKS = 2
_MOST_GOAL = 4_000  # characters of a prompt that are looked at for what it wants


def on_tool_output(
    event: Event, place: ProjectPaths, harness: str = "", state: StateDatabase | None = None
) -> None:
    """A tool is done: one event, and an item if a rule makes one of its output.

    A user's rule that is refused is left out. Raises InvalidConfigError about it when all else is done,
    so that it is logged.
    """
    if not event.session or not os.path.isdir(place.state):
        return
    from recollect.agents.harnesses import get_harness
    from recollect.working.default_rules import default_rules
    from recollect.working.rules import in_force

    defaults = default_rules(get_harness(event.harness).tools)
    rules, problems = in_force(place.config.rules, defaults)
    _note(event, place, working_store(place, state), _call(event, place, rules), harness)
    if problems:
        from recollect.errors import InvalidConfigError

        raise InvalidConfigError(" ".join(problems))


def on_prompt_mentions(
    event: Event, place: ProjectPaths, harness: str = "", state: StateDatabase | None = None
) -> list[UnifiedId]:
    """A prompt was given: what it speaks of matters more. The runbooks that it is to be told of."""
    if not event.session or not os.path.isdir(place.state):
        return []
    store = working_store(place, state)
    store.begin(event.session, harness, goal(event, store))
    store.mention(event.session, event.prompt)
    return store.past.waiting(event.session)


def goal(event: Event, store: WorkingStore) -> str:
    """What a session is for, where that is not known yet: what it began with, else what is asked now."""
    if store.goal(event.session):
        return ""
    from recollect.hook.user_turns import first_turns
    from recollect.working.draft import goal_of

    turns = first_turns(event.transcript, event.harness)
    began = next((text for text in turns if goal_of(text)), event.prompt)
    # Cut only when its secrets are out: half a secret is not known for one.
    return goal_of(store.redacted(began[:_MOST_GOAL])) if goal_of(began) else ""


def attention(
    event: Event, place: ProjectPaths, index: SqliteIndex, state: StateDatabase | None = None
) -> Attention | None:
    """What this session pays attention to, for the boosts that are switched on; None for none."""
    session, causal = place.config.working.session_boost, place.config.working.causal_boost
    if not (session or causal) or not event.session or not os.path.exists(place.kept(STATE_NAME)):
        return None
    from recollect.app.attention import attention_of

    edges = None
    if causal:
        from recollect.storage.sqlite.edges import SqliteEdges

        edges = SqliteEdges(index.connection)

    store = working_store(place, state)
    told = attention_of(store.memory(event.session), store.used(event.session), index, edges)
    return told if session else told.only_linked


def working_store(place: ProjectPaths, state: StateDatabase | None = None) -> WorkingStore:
    """The project's working memory, in the state that is open already if there is one."""
    return WorkingStore(state or open_state(place), _gate(place))


def _gate(place: ProjectPaths) -> Redact:
    """The gate with the user's own patterns, loaded when there is something to write."""
    loaded: list[Redact] = []

    def redact(text: str) -> tuple[str, Sequence[object]]:
        if not loaded:
            from recollect.redaction.user_patterns import redactor

            loaded.append(redactor(place.config.redaction))
        return loaded[0](text)

    return redact


def _call(event: Event, place: ProjectPaths, rules: Sequence[Rule]) -> ToolCall:
    """A tool call without anything of our own in it, with its secrets out before it is looked at."""
    from recollect.working.tool_result import observed

    roots = (place.shown, place.root, place.user_root)
    ours = is_ours(event.tool, event.tool_input, roots)
    output = "" if ours else without_echo(event.tool_output, roots)
    told_failed = event.kind == "tool_failed"
    seen = observed(event.tool, event.tool_input, output, failed=told_failed)
    call = ToolCall(event.tool, "" if ours else " ".join(seen.command.split()), seen.failed)
    if ours or is_echo(event.tool_output, output) or not place.config.working.extraction:
        return call
    from recollect.working.rules import extract

    found = extract(event.tool, event.tool_input, output, told_failed, rules)
    if found is None:
        return call
    # Before it is cut to size, and before a name is made of it: half a secret is not known for one.
    clean, secrets = _gate(place)(output)
    if secrets:
        found = extract(event.tool, event.tool_input, clean, told_failed, rules)
    redacted = bool(secrets)
    return call if found is None else replaced(call, item=_item(call, found, place.folder, redacted))


def _item(call: ToolCall, found: Extracted, folder: str, redacted: bool) -> Item:
    inside = folder.rstrip("/") + "/"
    return Item(
        found.content.replace(inside, ""),
        found.attention,
        0,
        Provenance(call.tool, found.rule, 0, redacted),
        0,
        found.kind,
        found.fingerprint,
        call.command,
        tuple([path.removeprefix(inside) for path in found.paths]),
    )


def _note(
    event: Event, place: ProjectPaths, store: WorkingStore, call: ToolCall, harness: str
) -> CallOutcome:
    noted = store.call(event.session, harness, call)
    fingerprint = call.item.fingerprint if call.item else ""
    if fingerprint and (found := _runbooks(fingerprint, store, place)):
        store.past.wait(event.session, found)
    if noted.fixed:
        from recollect.hook.drafting import draft_runbooks

        draft_runbooks(event.session, noted, store, place)
    return noted


def _runbooks(fingerprint: str, store: WorkingStore, place: ProjectPaths) -> list[UnifiedId]:
    """The runbooks that fixed an error before: kept for it, or naming it."""
    from recollect.storage.sqlite.runbooks import runbooks_for

    naming = runbooks_for(fingerprint, place.kept(INDEX_NAME), now())
    return list(dict.fromkeys([*store.past.fixes(fingerprint), *naming]))[:_MOST_RUNBOOKS]
