"""Tools: what a typed function says to a model, arguments made fit for a schema, and how a call is run."""
