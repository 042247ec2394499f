"""Our own modules, read from where Python keeps them compiled, without searching for them.

Python looks through folders and asks several finders for each of fifty modules: 2.5 of a prompt's 25 ms.
Whatever is unusual (not compiled yet, changed since, of another interpreter) is left to Python.
"""

from __future__ import annotations

import os
import sys
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

_MOST = 1 << 16  # bytes of a compiled module that are read; a longer one is left to Python


def find_quickly(source: str) -> None:
    """Let `recollect` below the folder `source` be found without a search from now on."""
    try:
        from _frozen_importlib import ModuleSpec
        from _frozen_importlib_external import MAGIC_NUMBER
    except ImportError:
        return
    if not sys.flags.optimize:  # whose compiled modules have other names
        sys.meta_path.insert(0, _Finder(source, MAGIC_NUMBER, ModuleSpec))


class _Finder:
    """Finder and loader of one package. What it does not find, the next finder is asked for."""

    def __init__(self, source: str, magic: bytes, spec: type[ModuleSpec]) -> None:
        self._source = source
        self._start = magic + b"\0\0\0\0"  # and nothing but the time and size of the source to go by
        self._end = f".{sys.implementation.cache_tag}.pyc"
        self._spec = spec

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != "recollect":
            return None
        base = f"{self._source}/{name.replace('.', '/')}"
        try:
            return self._found(name, *base.rsplit("/", 1)) or self._package(name, base)
        except (EOFError, TypeError, ValueError):
            return None  # Python says what is wrong with it

    def _package(self, name: str, folder: str) -> ModuleSpec | None:
        spec = self._found(name, folder, "__init__")
        if spec is not None:
            spec.submodule_search_locations = [folder]
        return spec

    def _found(self, name: str, folder: str, stem: str) -> ModuleSpec | None:
        source, compiled = f"{folder}/{stem}.py", f"{folder}/__pycache__/{stem}{self._end}"
        code = self._code(source, compiled)
        if code is None:
            return None
        spec = self._spec(name, self, origin=source, loader_state=code)  # type: ignore[arg-type]
        spec.has_location, spec.cached = True, compiled  # which Python would else work out, slowly
        return spec

    def _code(self, source: str, compiled: str) -> CodeType | None:
        try:
            told = os.stat(source)
            handle = os.open(compiled, os.O_RDONLY)
        except OSError:
            return None
        try:
            content = os.read(handle, _MOST)
        finally:
            os.close(handle)
        start = self._start + _four_bytes(int(told.st_mtime)) + _four_bytes(told.st_size)
        if not content.startswith(start) or len(content) == _MOST:
            return None
        found: CodeType = loads(memoryview(content)[len(start) :])  # noqa: S302 - Python's own
        return found

    def create_module(self, _spec: ModuleSpec) -> None:
        return None  # an ordinary one

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        exec(spec.loader_state, module.__dict__)  # noqa: S102 - what Python compiled of our own source


def _four_bytes(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")
