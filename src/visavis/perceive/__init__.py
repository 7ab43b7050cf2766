"""Station 3 of 7 · perceive

Takes aligned signals.
Gives facts about voice, words, turns, and about what is seen.
"""
