"""When hosts slept or were being switched: from the power states that a run has recorded."""

from collections.abc import Iterator
from math import inf
from typing import Final

from windtunnel.model import HostSet
from windtunnel.results.damaged_files import read_from
from windtunnel.results.run import Run

__all__ = ["sleeping"]

_ON, _OFF = -1, -2
"""How ``pstate_changes.csv`` writes that hosts are being switched on, and off."""
_MOST_HOSTS: Final = 1 << 26


def sleeping(run: Run) -> Iterator[tuple[float, float, HostSet]]:
    """Intervals (s) in which hosts could run nothing, from being switched off until they had been switched on."""
    frame = run.frame("pstate_changes.csv")
    since: dict[int, float] = {}
    waking: set[int] = set()
    if frame is None:
        return
    with read_from(run.name, "pstate_changes.csv"):
        for row in frame.iter_rows(named=True):
            now, state = float(row["time"]), int(row["new_pstate"])
            hosts = HostSet.parse(row["machine_id"] or "")
            woken: dict[float, list[int]] = {}
            for host in hosts if not hosts or hosts.last < _MOST_HOSTS else ():
                if state == _OFF:
                    since.setdefault(host, now)
                elif state == _ON:
                    since.setdefault(host, 0.0)  # it slept from the start
                    waking.add(host)
                elif host in waking:
                    waking.discard(host)
                    woken.setdefault(since.pop(host), []).append(host)
            for began, members in woken.items():
                yield began, now, HostSet(members)
    for host, began in since.items():
        yield began, inf, HostSet((host,))
