"""SQLite's own module, without what Python puts around it and we do without.

The date adapters of `sqlite3` cost a hook 2 ms, and `functools`, of which the module wants `lru_cache`
alone, 2 more. Names and errors are the same objects.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
else:

    def _import_alone():
        """Import `_sqlite3` with nothing but the cache that it keeps statements in."""
        from _functools import _lru_cache_wrapper

        def lru_cache(size):
            return lambda made: _lru_cache_wrapper(made, size, False, tuple)

        stand_in = type(sys)("functools")
        stand_in.lru_cache = lru_cache
        sys.modules["functools"] = stand_in
        try:
            import _sqlite3
        finally:
            del sys.modules["functools"]
        return _sqlite3

    try:
        if "functools" in sys.modules:
            import _sqlite3 as sqlite3
        else:
            sqlite3 = _import_alone()
    except ImportError:
        import sqlite3

__all__ = ["sqlite3"]
