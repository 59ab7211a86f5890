"""Ways to get calls out of a model. Law: pure generators; no strategy knows a client, a model's name or a sibling."""
