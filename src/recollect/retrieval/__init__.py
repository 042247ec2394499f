"""Which memories matter now?

Query > tokens > intent > channels > fusion > boosts > diversity > cutoff > hits: `search` composes these
steps out of small pure modules. The channels read through the ports in `index` and `vectors`; the gate
decides whether the best hits are worth injecting at all.

Standard library only, because hooks load this package.
"""
