"""``probes.csv``: what probes emitted, one row per value."""

from typing import Final

from windtunnel.results.fields import plain
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder
from windtunnel.vocabulary import Notice, ProbeDataEmitted

__all__ = ["ProbesCsv"]

_HEADER: Final = "time,probe_id,metric,resources,value,manually_triggered,nb_emitted,nb_triggered\n"


class ProbesCsv(Recorder):
    """A vector has one row for each host or link, an aggregated value one row with all resources."""

    def __init__(self, layout: Layout, *, always: bool) -> None:
        self.rows = layout.open("probes.csv", _HEADER, lazy=not always)

    def on_probe(self, now: float, measured: Notice) -> None:
        """Write what was emitted."""
        if not isinstance(measured, ProbeDataEmitted):
            return
        links = measured.resources.links
        tail = f"{int(measured.manually_triggered)},{measured.nb_emitted},{measured.nb_triggered}\n"
        if isinstance(measured.data, tuple):
            names = links if links is not None else map(str, measured.resources.hosts)
            pairs = list(zip(names, measured.data, strict=True))
        else:
            pairs = [(" ".join(links) if links is not None else str(measured.resources.hosts), measured.data)]
        start = f"{now:f},{plain(measured.probe_id)},{measured.metrics.name}"
        for name, value in pairs:
            self.rows.add(f"{start},{plain(name)},{value:.17g},{tail}")
