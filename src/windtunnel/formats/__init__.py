"""Formats of sites, workloads and events: what can be read and written, and how files are recognised.

What a user needs is here, and is loaded when it is first used; one package or module for each format holds the rest.
"""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.formats.convert import write_workload as write_workload
    from windtunnel.formats.format import Format as Format
    from windtunnel.formats.format import Kind as Kind
    from windtunnel.formats.recognition import find_format as find_format
    from windtunnel.formats.recognition import guess_format as guess_format
    from windtunnel.formats.recognition import list_formats as list_formats
    from windtunnel.formats.registry import read_events as read_events
    from windtunnel.formats.registry import read_platform as read_platform
    from windtunnel.formats.registry import read_workload as read_workload
    from windtunnel.formats.signals import Signal as Signal
    from windtunnel.formats.signals import read_signal as read_signal

__all__ = [
    "Format",
    "Kind",
    "Signal",
    "find_format",
    "guess_format",
    "list_formats",
    "read_events",
    "read_platform",
    "read_signal",
    "read_workload",
    "write_workload",
]

_MODULE: Final = {
    "Format": "format",
    "Kind": "format",
    "Signal": "signals",
    "find_format": "recognition",
    "guess_format": "recognition",
    "list_formats": "recognition",
    "read_events": "registry",
    "read_platform": "registry",
    "read_signal": "signals",
    "read_workload": "registry",
    "write_workload": "convert",
}

__getattr__ = loads_on_use(__name__, _MODULE)
