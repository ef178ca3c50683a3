"""Carbon intensities, prices and power over time: one module for each source, and what chooses among them."""

from windtunnel.formats.signals.reader import FORMATS, SignalFormat, file_in, quantity_in, read_signal
from windtunnel.model.signals import Signal

__all__ = ["FORMATS", "Signal", "SignalFormat", "file_in", "quantity_in", "read_signal"]
