"""SQLite: the kept index, and whatever else a single machine keeps. SQL lives here only."""
