"""Where do a team's projects live? Adapters for PostgreSQL: plain SQL, scoped by project."""
