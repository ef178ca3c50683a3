"""Files of a run of leases: ``leases.csv``, ``reservations.csv``, ``counters.csv`` and ``statistics.json``.

Rows stream while the run goes on; the last two are written at its end. ``site.xml`` is the site that was leased.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from windtunnel.diagnostics import SimulationError
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Rows

__all__ = ["LeaseFiles"]


class LeaseFiles:
    """Writes rows (named tuples whose fields are the columns) into a layout."""

    def __init__(
        self, layout: Layout, lease_columns: Sequence[str], reservation_columns: Sequence[str], site: str
    ) -> None:
        """``site`` is the text of ``site.xml``.

        Raises:
            SimulationError: it cannot be written.
        """
        self.layout = layout
        self._write("site.xml", site.encode())
        self._leases = layout.open("leases.csv", _line(lease_columns))
        self._reservations = layout.open("reservations.csv", _line(reservation_columns))

    def lease(self, row: Sequence[Any]) -> None:
        """A lease is over."""
        self._leases.add(_line(row))

    def reservation(self, row: Sequence[Any]) -> None:
        """A reservation is over."""
        self._reservations.add(_line(row))

    def flush(self) -> None:
        """Write what is pending."""
        for rows in (self._leases, self._reservations):
            rows.flush()

    def close(
        self,
        counters: Mapping[str, Iterable[Sequence[Any]]],
        statistics: Mapping[str, Any],
        lease_statistics: Mapping[int, Mapping[str, Any]],
        attributes: Mapping[str, str],
    ) -> None:
        """Write counters (time, lease, value, average) and statistics of the run and of each lease.

        Raises:
            SimulationError: a file cannot be written.
        """
        self.flush()
        values: Rows = self.layout.open("counters.csv", "counter,time,lease_id,value,average\n")
        for name, samples in counters.items():
            for sample in samples:
                values.add(_line((name, *sample)))
        values.flush()
        text = msgspec.json.encode({"attributes": attributes, "run": statistics, "leases": lease_statistics})
        self._write("statistics.json", msgspec.json.format(text, indent=1) + b"\n")

    def _write(self, name: str, data: bytes) -> None:
        path: Path | None = self.layout.path(name)
        if path is not None:
            try:
                path.write_bytes(data)
            except OSError as error:
                raise SimulationError(f"{path} cannot be written: {error.strerror}") from error


def _line(values: Sequence[Any]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerow([_text(value) for value in values])
    return text.getvalue()


def _text(value: Any) -> Any:
    """Numbers as short as they can be, nothing for ``None``."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(round(value, 9))
    return "" if value is None else value
