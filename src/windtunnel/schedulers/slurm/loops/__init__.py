"""The loops that decide, their clocks, and the queue they go through."""
