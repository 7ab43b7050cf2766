"""visavis bench: scripted two-party dialogues through the audio path, measured.

A scenario makes episodes (a script of the user with its truth); a runner plays each one to a real
conversation, ours or that of any server of the OpenAI Realtime protocol; measures are taken from
what sounded and when. The report shows them.
"""
