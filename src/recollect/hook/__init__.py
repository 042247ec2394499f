"""The fast door: one event in, at most one answer out, then gone.

Standard library only, no model, no lasting process. Whatever goes wrong, the answer is nothing and the
exit code 0: a hook never stands between a person and their agent. Its own small composition root, beside
`app`, so that a prompt waits for nothing it does not need.
"""
