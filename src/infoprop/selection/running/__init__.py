"""What every long search needs: journal, work, progress, callbacks, interrupts, routing of parameters."""
