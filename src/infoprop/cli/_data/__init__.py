"""Tables and files: read, coded as numbers, made, saved, written."""
