"""What are the words of a text?

Tokens, stop words and stems, in any script. Pure, standard library only: a hook loads this.
"""
