"""How a run survives. Law: the loop does nothing to the world but through a runtime."""
