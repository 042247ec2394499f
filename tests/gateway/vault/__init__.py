"""The result vault."""
