"""The ground under the line: events, topics, bus, loop, clock, rings. Imports nothing of ours."""
