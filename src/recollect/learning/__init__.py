"""What worked before? Traces of every scoring with its outcome, and what can be learned from them. Pure."""
