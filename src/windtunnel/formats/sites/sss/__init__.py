"""SSS node objects 3.1.0 (seed document 003; docs/reference/sss.md)."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.formats.sites.sss.reader import NodeSet as NodeSet
    from windtunnel.formats.sites.sss.reader import check as check
    from windtunnel.formats.sites.sss.reader import read as read

__all__ = ["NodeSet", "check", "read"]

_MODULE: Final = {"NodeSet": "reader", "check": "reader", "read": "reader"}

__getattr__ = loads_on_use(__name__, _MODULE)
