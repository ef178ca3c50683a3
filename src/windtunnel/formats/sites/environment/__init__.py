"""The JSSPP-OSP environment format (seed document 000; rules in docs/reference/environment.md)."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.formats.sites.environment.reader import Checked as Checked
    from windtunnel.formats.sites.environment.reader import Options as Options
    from windtunnel.formats.sites.environment.reader import check as check
    from windtunnel.formats.sites.environment.reader import read as read
    from windtunnel.formats.sites.environment.reader import read_text as read_text
    from windtunnel.formats.sites.environment.schema import schema_text as schema_text

__all__ = ["Checked", "Options", "check", "read", "read_text", "schema_text"]

_MODULE: Final = {
    "Checked": "reader",
    "Options": "reader",
    "check": "reader",
    "read": "reader",
    "read_text": "reader",
    "schema_text": "schema",
}

__getattr__ = loads_on_use(__name__, _MODULE)
