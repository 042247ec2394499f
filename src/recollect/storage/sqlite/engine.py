"""SQLite's own module, without the date adapters that `sqlite3` puts around it and we do without.

They cost a hook 2 ms. Names and errors are the same objects.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

__all__ = ["sqlite3"]
