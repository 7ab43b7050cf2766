"""How each metric is taken from an episode, by what it is about. The table is measure.py."""
