"""SQLite: the index and the local state of one machine. All SQL is here."""
