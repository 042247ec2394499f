"""In what order did the tables come about? Numbered modules, applied once each and never changed.

A module `mNNNN_name.py` has one function, `apply(connection)`. Numbers order them; gaps are free to fill, so
that areas can add tables without waiting for each other: 0-99 foundation and memories, 100-199 sessions,
gateway and runs, 200-299 members and operations. A migration that was released is never edited: a later one
changes what it made.
"""
