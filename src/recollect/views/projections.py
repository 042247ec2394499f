"""Projections of tools as JSON."""

from collections.abc import Iterable
from typing import TypedDict

from recollect.gateway.vault.projection import Projection


class ProjectionRow(TypedDict):
    """The fields that previews of a tool's large results show, or would show."""

    tool: str
    fields: list[str]


class ProjectionListOutput(TypedDict):
    """`recollect gateway projection list`: what is in use, and what is proposed from what agents read."""

    accepted: list[ProjectionRow]
    proposed: list[ProjectionRow]


class ProjectionChangeOutput(TypedDict):
    """`gateway projection accept` and `gateway projection remove`: the tool, and its fields from now on."""

    tool: str
    fields: list[str]


def projection_rows(projections: Iterable[Projection]) -> list[ProjectionRow]:
    """Projections, each as a row."""
    return [{"tool": each.id, "fields": list(each.fields)} for each in projections]
