"""Which harness is talking? One value per harness says all that we know of it.

`harnesses` names them, `harness` says what a harness is, and each has its own module. `install` and
what it uses (`entries`, `json_settings`, `toml_settings`) plan what `recollect init` changes; hooks do not
load them. Pure: texts in, texts out.
"""
