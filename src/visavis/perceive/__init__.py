"""Station 3 of 7 · perceive

Takes aligned signals.
Gives facts about voice, words and turns.
"""
