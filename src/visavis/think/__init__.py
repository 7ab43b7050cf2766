"""Station 6 of 7 · think

Takes commands.
Gives tokens.
"""
