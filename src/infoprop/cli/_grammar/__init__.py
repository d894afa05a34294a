"""Words of the command line: options, their values, what goes with what. Light enough for the parser."""
