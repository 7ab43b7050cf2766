"""Station 2 of 7 · align

Takes captured chunks and frames.
Gives one rate, one time axis.
"""
