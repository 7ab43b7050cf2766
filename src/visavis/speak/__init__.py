"""Station 7 of 7 · speak

Takes tokens.
Gives phrases, sound, and what was heard of it.
"""
