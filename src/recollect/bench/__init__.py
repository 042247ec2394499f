"""How fast is it? Measurements through the public API, as ratios to a baseline of the same run."""
