"""Clients: each asks a model in one dialect."""
