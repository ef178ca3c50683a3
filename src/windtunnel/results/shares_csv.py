"""``shares.csv``: what jobs that share hosts had of each (``0:cores=2;memory=6e9|1:cores=2``)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.results.batch import Batch
from windtunnel.results.fields import plain
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder

__all__ = ["SharesCsv", "amounts_of", "amounts_text"]

_MOST: Final = 1e18
"""Of anything (cores, bytes) that a host has."""

_MOST_DIGITS: Final = 17
"""Binary digits of the numbers of hosts whose texts are kept."""
_HEADER: Final = "job_id,workload_name,shares\n"


class SharesCsv(Recorder):
    """A row for each job with amounts; the file appears with the first of them."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("shares.csv", _HEADER, lazy=True)

    def take(self, batch: Batch) -> None:
        """Write a row for each job of a batch that had shares."""
        if batch.shared:
            for job_id, amounts in zip(batch.ids, batch.amounts, strict=True):
                if amounts is not None:
                    workload, _, name = job_id.partition("!")
                    self.rows.add(f"{plain(name)},{plain(workload)},{plain(amounts_text(amounts))}\n")


def amounts_text(amounts: Mapping[int, Mapping[str, float]]) -> str:
    """Amounts by host and resource, as text."""
    if isinstance(amounts, AlikeAmounts):
        # Stretch by stretch: of hosts in a row with the same amounts nothing but the number differs.
        found = [(run, f":{_text(taken)}") for hosts, taken in amounts.groups for run in hosts.runs]
        found.sort()
        return "|".join([f"{text}|".join(_numbers(*run)) + text for run, text in found])
    return "|".join([f"{host}:{_text(taken)}" for host, taken in sorted(amounts.items())])


def _numbers(first: int, last: int) -> list[str]:
    """The numbers of hosts in a row as text."""
    if last >> _MOST_DIGITS:
        return [str(host) for host in range(first, last + 1)]
    return _written(last.bit_length())[first : last + 1]


@lru_cache(maxsize=_MOST_DIGITS + 1)
def _written(digits: int) -> list[str]:
    """All numbers of so many binary digits at most, as text."""
    return [str(number) for number in range(1 << digits)]


def _text(taken: Mapping[str, float]) -> str:
    return ";".join([f"{name}={amount:.15g}" for name, amount in taken.items()])


def amounts_of(text: str) -> dict[int, dict[str, float]]:
    """Amounts from their text.

    Raises:
        ValueError: it is none.
    """
    amounts = {}
    for part in filter(None, text.split("|")):
        host, _, taken = part.partition(":")
        pairs = (item.rpartition("=") for item in taken.split(";") if item)
        amounts[int(host)] = made = {name: float(amount) for name, _, amount in pairs}
        if not all(0.0 <= amount < _MOST for amount in made.values()):
            raise ValueError(f"{part!r:.60} is not what a job has of a host")
    return amounts
