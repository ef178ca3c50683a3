"""What jobs had of each of their hosts, as the files of a run say it."""

from collections.abc import Callable, Mapping, Sequence

from windtunnel.model import HostSet
from windtunnel.results.fields import table_rows
from windtunnel.results.kept import had_of
from windtunnel.results.shares_csv import amounts_of

__all__ = ["FiledShares"]


class FiledShares:
    """From ``shares.csv`` and the cores of the hosts (none: they are not known)."""

    def __init__(self, data: bytes | None = None, cores: Sequence[int] = ()) -> None:
        self._texts = {f"{row['workload_name']}!{row['job_id']}": row["shares"] for row in table_rows(data)}
        self._cores = cores

    def had(
        self, job: str, hosts: HostSet, held: float, amounts: Mapping[int, Mapping[str, float]] | None = None
    ) -> Callable[[HostSet], float]:
        """Of a job that held so much in all: tells what it had of some of its hosts, in whole hosts.

        Where no file says what it had of each, it had as much of one as of another.
        """
        if amounts is None and job in self._texts:
            amounts = amounts_of(self._texts[job])
        if amounts is not None and self._cores:
            return lambda some: had_of(some, amounts, self._cores)
        return lambda some: held * len(some) / len(hosts)
