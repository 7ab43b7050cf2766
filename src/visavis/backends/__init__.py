"""Engines behind the contract: one file = one backend."""
