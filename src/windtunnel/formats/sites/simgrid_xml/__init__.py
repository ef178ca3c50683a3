"""SimGrid platform files (XML)."""

from windtunnel.formats.sites.simgrid_xml.reader import parse_platform, read_platform

__all__ = ["parse_platform", "read_platform"]
