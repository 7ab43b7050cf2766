"""Station 5 of 7 · decide

Takes facts.
Gives commands.
"""
