"""What memory does one plain sentence become? Derived from its words alone; nothing is made up.

`clauses` splits a sentence, `signals` chooses the category, `derivation` fills the fields, and `conflict`
says whether another memory may say the opposite.
"""
