"""What waits for a person? One queue over many sources; each knows what can be done about its items."""
