"""The live view: a page on this machine that shows a run while it goes on, and lets people act on it."""
