"""Station 6 of 7 · think

Takes commands.
Gives tokens, calls of tools, and what these brought.
"""
