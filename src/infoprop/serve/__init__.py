"""A local page to run infoprop from: files in, reports out, each run a process of the command line.

The server holds no state of its own. Tables and runs are folders on disk; a run is the command line with a
checkpoint in its own folder, and goes on when the server or the browser is gone.
"""
