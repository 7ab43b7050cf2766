"""The scenarios' scripts, by what they are about: turns, voices over ours, rooms."""
