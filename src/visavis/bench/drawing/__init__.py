"""How the report of the bench draws: the page, the table of metrics, an episode's time axis.

Takes results; gives HTML and inline SVG. Knows nothing of files.
"""
