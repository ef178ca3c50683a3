"""The JSSPP-OSP environment format (seed document 000; rules in docs/reference/environment.md)."""

from windtunnel.formats.sites.environment.reader import Checked, Options, check, read, read_text
from windtunnel.formats.sites.environment.schema import schema_text

__all__ = ["Checked", "Options", "check", "read", "read_text", "schema_text"]
