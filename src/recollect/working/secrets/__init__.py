"""What does a secret look like? Families of patterns, and the judgement that tells a key from a word."""
