"""What a run leaves behind: recorders that stream it to files, metrics, and ways to read it again.

:class:`~windtunnel.results.recording.Recording` writes;
modules are imported by name, so that only what is used loads.
"""
