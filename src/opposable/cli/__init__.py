"""The command line. Law: a thin face; what it says is said by the parts, and it only shows and asks."""
