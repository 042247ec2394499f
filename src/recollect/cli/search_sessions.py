"""`search --sessions`: what was said and done in past sessions."""

from typing import TYPE_CHECKING

from recollect.cli.output import print_json, safe, say
from recollect.views.memories import SearchOutput
from recollect.views.past_sessions import PastHitRow, past_hit_row

if TYPE_CHECKING:
    from recollect.app.project import Recollect

_SHOWN = 240  # characters of an entry


def search_sessions(
    recollect: "Recollect", query: str, limit: int, offset: int, *, as_json: bool
) -> None:
    """Show what past sessions said about something. Memories are not searched."""
    page = recollect.past_sessions.search(query, limit, offset)
    rows = [past_hit_row(hit) for hit in page.hits]
    if as_json:
        out: SearchOutput = {
            "query": query,
            "count": len(rows),
            "total": page.total,
            "strategy": "sessions",
            "hits": [],
            "notes": [],
            "sessions": rows,
        }
        print_json(out)
        return
    for row in rows:
        _show(row)
    if not rows:
        say("No past session mentions it; `recollect import transcripts` imports more.")
    elif page.total > offset + len(rows):
        say(f"[dim]{page.total - offset - len(rows)} more: --offset {offset + len(rows)}[/]")


def _show(row: PastHitRow) -> None:
    text = " ".join(row["text"].split())
    short = text if len(text) <= _SHOWN else text[:_SHOWN].rstrip() + "…"
    goal = f"  [dim]{safe(row['goal'])}[/]" if row["goal"] and row["goal"] not in text else ""
    say(f"[bold]{row['kind']}[/] {safe(short)}")
    place = f"session {row['session'][:12]}, line {row['line']}"
    say(f"  [dim]{row['at'][:10]} {safe(row['harness'])} {safe(place)}[/]{goal}")
