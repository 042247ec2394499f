"""Search over tools: words from the start, meaning once the tools are embedded."""

import gzip
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import paths
from recollect.app.finder import ENOUGH_EMBEDDED, embedder_of
from recollect.app.models import open_models
from recollect.errors import InvalidError, ModelError, NotFoundError
from recollect.gateway.catalogue_file import parse_catalogue
from recollect.gateway.discovery import LIMIT, Discovery, Experience, discover
from recollect.gateway.relevance import ToolIndex, tool_index
from recollect.gateway.tool import UpstreamTool, texts_of

if TYPE_CHECKING:
    from recollect.app.finder import RunModel
    from recollect.storage.models.embedder import Embedder, Floats
    from recollect.storage.tool_vectors import ToolVectors


class ToolSearch:
    """Tools that can be searched. Words alone decide without a model, or before enough tools are embedded.

    `earlier` are the vectors of another version of the catalogue: what they have is not embedded again.
    """

    def __init__(
        self,
        tools: Sequence[UpstreamTool],
        embedder: "Callable[[], Embedder] | None" = None,
        earlier: "ToolVectors | None" = None,
    ) -> None:
        self.tools = sorted(tools, key=lambda tool: tool.id)
        self.by_id = {tool.id: tool for tool in self.tools}
        self._embedder = embedder
        self.vectors = self._arranged(earlier.embedder, earlier.known) if earlier else None

    @cached_property
    def index(self) -> ToolIndex:
        """The words of the tools, read when somebody searches: a call of a tool does not wait for them."""
        return tool_index(self.tools)

    @property
    def by_meaning(self) -> bool:
        """Whether meaning counts: enough tools are embedded."""
        vectors, size = self.vectors, len(self.tools)
        return vectors is not None and vectors.missing <= (1 - ENOUGH_EMBEDDED) * size

    @property
    def can_embed(self) -> bool:
        """Whether `embed` has something to do."""
        vectors = self.vectors
        return self._embedder is not None and (vectors is None or vectors.missing > 0)

    def embed(self) -> None:
        """Embed the tools that have no vectors yet; does nothing without a model.

        Raises ModelError when the model cannot be run; until it can, words alone decide.
        """
        if self._embedder is None:
            return
        try:
            vectors = self.vectors or self._arranged(self._embedder(), {})
            vectors.embed()
            self.vectors = vectors
        except ModelError:
            self.vectors = None
            raise

    def _arranged(self, embedder: "Embedder", known: "Mapping[str, Floats]") -> "ToolVectors":
        from recollect.storage.tool_vectors import ToolVectors  # noqa: PLC0415 - numpy costs 100 ms

        return ToolVectors(embedder, [texts_of(tool) for tool in self.tools], known)

    def beside(self, tools: Sequence[UpstreamTool], previous: "ToolSearch | None") -> "ToolSearch":
        """Search over other tools with the same model; vectors of a `previous` one are used again."""
        earlier = previous.vectors if previous else None
        if earlier and (self.vectors is None or earlier.embedder is not self.vectors.embedder):
            earlier = None
        embedder = self.vectors.embedder if self.vectors else None
        return ToolSearch(tools, (lambda: embedder) if embedder else None, earlier)

    def cosines(self, text: str) -> "Mapping[str, float | None]":
        """How near each tool is by meaning, by name, with new ones embedded; nothing without a model."""
        try:
            self.embed()
            nearness = self.vectors.cosines(text) if self.vectors else []
        except ModelError:
            return {}
        return dict(zip((tool.name for tool in self.tools), nearness, strict=False))

    def find(
        self,
        text: str,
        experience: Experience | None = None,
        limit: int = LIMIT,
        *,
        by_meaning: bool = True,
        stepwise: bool = True,
    ) -> Discovery:
        """The tools that fit a request best. A model that fails leaves the words."""
        vectors = self.vectors if by_meaning and self.by_meaning else None
        cosines = vectors.cosines if vectors else None
        try:
            return discover(text, self.index, cosines, experience, limit, stepwise=stepwise)
        except ModelError:
            self.vectors = None
            return discover(text, self.index, None, experience, limit, stepwise=stepwise)


def open_tool_search(
    tools: Sequence[UpstreamTool],
    env: Mapping[str, str] = os.environ,
    run: "RunModel | None" = None,
    previous: ToolSearch | None = None,
) -> ToolSearch:
    """Search over these tools with the user's own model, which `run` runs; no project is needed.

    `previous` is a search over another version of the catalogue, whose vectors are used again.
    """
    models = open_models(env)
    model = models.folder.get(models.used)
    embedder = embedder_of(model, Path(paths.cache_folder(env)) / "vectors", run)
    earlier = previous.vectors if previous else None
    if earlier and (model is None or earlier.embedder.version != model.version):
        earlier = None  # a vector of one model is never compared with one of another
    return ToolSearch(tools, embedder, earlier)


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
