"""Search over tools: words from the start, meaning once the tools are embedded."""

import gzip
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import paths
from recollect.app.finder import embedder_of
from recollect.app.models import open_models
from recollect.errors import InvalidError, NotFoundError
from recollect.gateway.catalogue_file import parse_catalogue
from recollect.gateway.discovery import LIMIT, Discovery, Experience, discover
from recollect.gateway.relevance import Cosines, tool_index
from recollect.gateway.tool import UpstreamTool, passage

if TYPE_CHECKING:
    from recollect.app.finder import RunModel
    from recollect.storage.models.embedder import Embedder


class ToolSearch:
    """Tools that can be searched. Without a model, or before `embed`, words alone decide."""

    def __init__(
        self, tools: Sequence[UpstreamTool], embedder: "Callable[[], Embedder] | None" = None
    ) -> None:
        self.index = tool_index(tools)
        self.by_id = {tool.id: tool for tool in self.index.tools}
        self._embedder = embedder
        self._cosines: Cosines | None = None

    @property
    def has_model(self) -> bool:
        """Whether search by meaning is possible."""
        return self._embedder is not None

    def embed(self) -> None:
        """Make search by meaning ready; does nothing without a model."""
        if self._embedder is None or self._cosines is not None:
            return
        from recollect.storage.tool_vectors import ToolVectors  # noqa: PLC0415 - numpy costs 100 ms

        vectors = ToolVectors(self._embedder(), [passage(tool) for tool in self.index.tools])
        self._cosines = vectors.cosines

    def find(
        self,
        text: str,
        experience: Experience | None = None,
        limit: int = LIMIT,
        *,
        by_meaning: bool = True,
        stepwise: bool = True,
    ) -> Discovery:
        """The tools that fit a request best."""
        cosines = self._cosines if by_meaning else None
        return discover(text, self.index, cosines, experience, limit, stepwise=stepwise)


def open_tool_search(
    tools: Sequence[UpstreamTool],
    env: Mapping[str, str] = os.environ,
    run: "RunModel | None" = None,
) -> ToolSearch:
    """Search over these tools with the user's own model, which `run` runs; no project is needed."""
    models = open_models(env)
    model = models.folder.get(models.used)
    return ToolSearch(tools, embedder_of(model, Path(paths.cache_folder(env)) / "vectors", run))


def read_catalogue(path: Path) -> list[UpstreamTool]:
    """The tools of a file, which may be gzip-compressed. Raises NotFoundError or InvalidError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotFoundError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    if content[:2] == b"\x1f\x8b":
        content = _unpacked(content, path)
    return parse_catalogue(content.decode("utf-8", "replace"), str(path))


def _unpacked(content: bytes, path: Path) -> bytes:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidError(f"{str(path)!r} is not a complete gzip file: {error}.") from None
