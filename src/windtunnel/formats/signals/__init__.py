"""Carbon intensities, prices and power over time: one module for each source, and what chooses among them."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.formats.signals.reader import FORMATS as FORMATS
    from windtunnel.formats.signals.reader import SignalFormat as SignalFormat
    from windtunnel.formats.signals.reader import file_in as file_in
    from windtunnel.formats.signals.reader import quantity_in as quantity_in
    from windtunnel.formats.signals.reader import read_signal as read_signal
    from windtunnel.model.signals import Signal as Signal

__all__ = ["FORMATS", "Signal", "SignalFormat", "file_in", "quantity_in", "read_signal"]

_MODULE: Final = {
    "FORMATS": "reader",
    "Signal": "reader",
    "SignalFormat": "reader",
    "file_in": "reader",
    "quantity_in": "reader",
    "read_signal": "reader",
}

__getattr__ = loads_on_use(__name__, _MODULE)
