"""The commands: for each a file with its grammar, and one that runs it where that is more than a call."""
