"""The agent: one question (`turn`), the whole loop (`loop`), who may run what (`approval`)."""
