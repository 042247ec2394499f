"""Which memories matter now?

Query > tokens > intent > channels > fusion > boosts > diversity > cutoff > hits: `search` is that page,
over small pure modules. What the channels look things up in is behind the ports of `index` and
`vectors`; the gate decides whether the best hit is worth anybody's attention at all.

Standard library only: a hook loads this.
"""
