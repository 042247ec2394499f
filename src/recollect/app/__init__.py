"""The composition root and the use cases that join adapters: configuration and a folder in, a Recollect out.

`opening` wires everything and `project` is what it returns. Doors import the module they need: this package
imports nothing by itself, because a hook uses a few of its modules and pays for every import.
"""
