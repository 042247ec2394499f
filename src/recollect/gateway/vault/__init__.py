"""What becomes of a result that is too large? A handle, its shape, a preview, and ways to read the rest."""
