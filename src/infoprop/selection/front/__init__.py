"""The front door: one selector that tries several searches and takes the one that does best."""
