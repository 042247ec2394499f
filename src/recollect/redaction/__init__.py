"""Is there a secret in it? The gate in front of every write, and the families of secrets it knows."""
