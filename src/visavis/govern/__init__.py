"""Beside the line: record, replay, measure. Imports `flow` only."""
