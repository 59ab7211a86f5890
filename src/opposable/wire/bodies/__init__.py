"""What stands inside a block, by the language it is written in. Law: scanned as it comes, read once, when it is whole."""
