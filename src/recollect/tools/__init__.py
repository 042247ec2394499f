"""Where do an agent's tools come from? Providers, and wrappers around them. Nothing of memory in here."""
