"""`show skill:...`: a page of a skill and its links."""

from recollect.app.project import Recollect
from recollect.cli.output import label, print_json, safe, say
from recollect.views.edges import EdgeRow, edge_row, short_id
from recollect.views.memories import ShowOutput


def show(recollect: Recollect, id: str, *, as_json: bool) -> None:
    """Show a page. Raises NotFoundError when no skill folder has it."""
    out = _output(recollect, id)
    if as_json:
        print_json(out)
        return
    page = out["skill"]
    say(f"{label('skill')} [bold]{safe(page['title'])}[/] [dim]{safe(out['id'])}[/]")
    tags = " ".join(f"#{safe(tag)}" for tag in page["tags"])
    say(f"[dim]{'  '.join(part for part in (safe(out['path']), tags) if part)}[/]")
    for text in dict.fromkeys((page["description"], page["excerpt"])):
        if text:
            say(safe(text))
    for edge in page["edges"]:
        evidence = f" [dim]({safe(edge['evidence'])})[/]" if edge["evidence"] else ""
        say(f"  {safe(edge['source'])} [dim]{edge['type']}[/] {safe(edge['target'])}{evidence}")


def _output(recollect: Recollect, id: str) -> ShowOutput:
    node, graph = recollect.skill(id)
    own = [(edge.type.value, *edge.ends) for edge in graph.edges if node.id in edge.ends]
    own += [(edge.type.value, *edge.ends) for edge in graph.crossing if node.id in edge.ends]
    rows: list[EdgeRow] = [
        {"source": short_id(source), "type": type, "target": short_id(target), "evidence": None}
        for type, source, target in own
    ]
    memory_links = recollect.graphs.ask(lambda links: links.around([node.id], 1))
    return {
        "id": node.id,
        "path": node.path,
        "skill": {
            "title": node.title,
            "description": node.description,
            "tags": list(node.tags),
            "headings": list(node.headings),
            "excerpt": node.excerpt,
            "edges": rows + [edge_row(edge) for edge in memory_links],
        },
    }
