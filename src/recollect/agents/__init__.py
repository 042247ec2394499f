"""Which harness is talking? Each one's dialect, to and from the events we understand.

Standard library only and cheap to import: a hook loads one adapter.
"""
