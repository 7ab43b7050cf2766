"""Station 4 of 7 · memory

Takes what was seen, read and said.
Gives what is kept of it, and what is found again when the user asks about the past.
"""
