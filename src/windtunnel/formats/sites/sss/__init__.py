"""SSS node objects 3.1.0 (seed document 003; docs/reference/sss.md)."""

from windtunnel.formats.sites.sss.reader import NodeSet, check, read

__all__ = ["NodeSet", "check", "read"]
