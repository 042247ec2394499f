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
        if not name.startswith("recollect."):
            return None
        base = f"{self._source}/{name.replace('.', '/')}"
        try:
            if found := self._code(*base.rsplit("/", 1)):
                return self._found(name, f"{base}.py", found)
            if found := self._code(base, "__init__"):
                spec = self._found(name, f"{base}/__init__.py", found)
                spec.submodule_search_locations = [base]
                return spec
        except (EOFError, TypeError, ValueError):
            pass  # Python says what is wrong with it
        return None

    def _code(self, folder: str, stem: str) -> CodeType | None:
        try:
            told = os.stat(f"{folder}/{stem}.py")
            handle = os.open(f"{folder}/__pycache__/{stem}{self._end}", os.O_RDONLY)
        except OSError:
            return None
        try:
            compiled = os.read(handle, _MOST)
        finally:
            os.close(handle)
        start = self._start + _four_bytes(int(told.st_mtime)) + _four_bytes(told.st_size)
        if not compiled.startswith(start) or len(compiled) == _MOST:
            return None
        found: CodeType = loads(memoryview(compiled)[len(start) :])  # noqa: S302 - Python's own
        return found

    def _found(self, name: str, file: str, code: CodeType) -> ModuleSpec:
        spec = self._spec(name, self, origin=file, loader_state=code)  # type: ignore[arg-type]
        spec.has_location = True
        return spec

    def create_module(self, _spec: ModuleSpec) -> None:
        return None  # an ordinary one

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        exec(spec.loader_state, module.__dict__)  # noqa: S102 - what Python compiled of our own source


def _four_bytes(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")
