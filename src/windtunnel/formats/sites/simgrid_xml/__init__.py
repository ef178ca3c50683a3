"""SimGrid platform files (XML)."""

from windtunnel.formats.sites.simgrid_xml.reader import looks_like_platform, parse_platform, read_platform

__all__ = ["looks_like_platform", "parse_platform", "read_platform"]
