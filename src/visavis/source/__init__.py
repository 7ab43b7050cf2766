"""Station 1 of 7 · source

Takes the world.
Gives stamped chunks and frames.
"""
