"""A client of a server that speaks the OpenAI Realtime protocol, as the bench's user has one.

wire (what is said), playback (what is heard), caller (who does both; no I/O and no clock in these
three), link (the socket), session (a script, in real time).
"""
