"""SimGrid platform files (XML)."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.formats.sites.simgrid_xml.reader import parse_platform as parse_platform
    from windtunnel.formats.sites.simgrid_xml.reader import read_platform as read_platform

__all__ = ["parse_platform", "read_platform"]

_MODULE: Final = {"parse_platform": "reader", "read_platform": "reader"}

__getattr__ = loads_on_use(__name__, _MODULE)
