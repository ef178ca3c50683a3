"""Reading a run again, from its files or from memory: jobs as a data frame, metrics, what ran where and when.

What reads files is loaded when they are read: a run that has just been made is mostly asked for what is in memory.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from windtunnel.diagnostics import Account, MissingExtraError, UsageError
from windtunnel.model import HostSet
from windtunnel.results.computing import compute
from windtunnel.results.damaged_files import read_from
from windtunnel.results.fields import table_rows
from windtunnel.results.layout import KNOWN_FILES
from windtunnel.results.metrics import Metrics
from windtunnel.results.recording import Recording
from windtunnel.results.state import RunState, Status
from windtunnel.results.trimming import Trim

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.results.stretch import Stretch

__all__ = ["Run", "load_run"]

_MOST_HOSTS: Final = 1 << 26
"""For sites about which nothing is known."""


class Run:
    """The recorded results of a run. Files are read when they are first needed, and only once."""

    def __init__(self, read: Callable[[str], bytes | None], state: RunState, name: str = "this run") -> None:
        self._read = read
        self._recording: Recording | None = None
        self.state = state
        self.name = name
        """Where it was read from, for display."""

    @classmethod
    def of(cls, recording: Recording) -> Self:
        """The run in a recording, as far as it has got."""
        recording.flush()
        new = cls(recording.read, recording.state, recording.layout.stem or "in memory")
        new._recording = recording
        return new

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read the run in a directory, or with a prefix as in Batsim (``out`` for ``out_jobs.csv``).

        Runs of Batsim itself can be read too, without the data that only ``run.json`` has.

        Raises:
            UsageError: there is no run there.
        """
        from windtunnel.results.finding import find_run

        read, state = find_run(path)
        return cls(read, state, str(path))

    @property
    def complete(self) -> bool:
        """Whether the run is complete."""
        return self.state.status is Status.COMPLETE

    @property
    def account(self) -> Account:
        """What was read or asked for and did not take effect as written, as a printable table."""
        return Account(self.state.account) if self._recording is None else self._recording.account

    @property
    def outcome(self) -> str:
        """``complete``, ``running`` (also if it was killed), or why it is not complete."""
        return self.state.reason or str(self.state.status)

    def file(self, name: str) -> bytes | None:
        """The content of a file, without a half-written end left by a kill; None if there is no such file."""
        data = self._read(name)
        if data is None or name.endswith(".json"):
            return data
        return data[: data.rfind(b"\n") + 1]

    def frame(self, name: str) -> "pl.DataFrame | None":
        """A CSV file as a polars frame; None if there is no such file.

        Raises:
            UsageError: the file is not a table.
        """
        from windtunnel.results.frames import frame_of

        return frame_of(self.file(name), name, self.name)

    @cached_property
    def jobs(self) -> "pl.DataFrame":
        """``jobs.csv``, one row per job that has ended: Batsim's columns, and

        - ``id``: workload and job joined by ``!``;
        - ``user``, ``group``, ``queue``, ``return_code``, ``host_share``: null if the run does not have them;
        - ``submitted_at``, ``started_at``, ``finished_at`` (UTC): null if time 0 has no calendar date.

        Raises:
            UsageError: there is no such file, or it is not a table of jobs.
        """
        from windtunnel.results.frames import jobs_frame

        return jobs_frame(self.frame, self.name, self.state.start_date)

    def to_pandas(self) -> Any:
        """:attr:`jobs` as a pandas frame.

        Raises:
            MissingExtraError: pandas or pyarrow is not installed (``pip install 'windtunnel[pandas]'``).
        """
        try:
            return self.jobs.to_pandas()
        except ImportError as error:
            raise MissingExtraError("pandas with pyarrow", "pandas") from error

    @cached_property
    def hosts(self) -> int:
        """The number of compute hosts of the site; for runs of others, the machines that compute or ran jobs."""
        known = self.state.platform.hosts
        if known:
            return known
        figures = self.figures.get("nb_computing_machines")
        if figures:
            return int(figures)
        return max((s.hosts.last + 1 for s in self.stretches() if s.hosts), default=0)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """``schedule.csv`` or ``schedule.json``; empty if the run ended before writing one."""
        data = self.file("schedule.csv")
        if data is not None:
            with read_from(self.name, "schedule.csv"):
                return dict(next(table_rows(data), {}))
        data = self.file("schedule.json")
        with read_from(self.name, "schedule.json"):
            return {} if data is None else dict(msgspec.json.decode(data.replace(b"-nan", b"null")))

    def _hosts_in(self, text: str | None) -> HostSet:
        """Hosts of the site; ValueError when it has no such hosts."""
        hosts = HostSet.parse(text or "")
        site = self.state.platform
        beyond = site.hosts + site.storages if site.hosts else _MOST_HOSTS
        if hosts and hosts.last >= beyond:
            raise ValueError(f"the site has no host {hosts.last}")
        return hosts

    def unavailable(self) -> list[tuple[float, HostSet]]:
        """The unavailable hosts, from each time (s) at which they change."""
        events = self.frame("events.csv")
        steps: list[tuple[float, HostSet]] = []
        away = HostSet()
        if events is not None:
            with read_from(self.name, "events.csv"):
                for row in events.iter_rows(named=True):
                    if row["event"] in ("available", "unavailable"):
                        hosts = self._hosts_in(row["hosts"])
                        away = away | hosts if row["event"] == "unavailable" else away - hosts
                        steps.append((float(row["time"]), away))
        return steps

    def _cores(self) -> list[int]:
        """The cores of each host; empty where nothing says them."""
        site = self.state.platform
        if not site.hosts_by_cores:
            return [site.cores // site.hosts] * site.hosts if site.hosts and site.cores else []
        cores = [0] * site.hosts
        with read_from(self.name, "run.json"):
            for number, hosts in site.hosts_by_cores.items():
                for host in self._hosts_in(hosts):
                    cores[host] = int(number)
        return cores if all(cores) else []

    def stretches(self) -> "Iterator[Stretch]":
        """Which job ran on which hosts and when, in the order in which jobs ended."""
        from windtunnel.results.filed_stretches import stretches_of

        return stretches_of(self.jobs, self.frame, self.file, self._hosts_in, self.name)

    @cached_property
    def metrics(self) -> Metrics:
        """The metrics, with the trims that the run was recorded with: from ``metrics.json`` if it exists.

        Raises:
            UsageError: nothing remains after trimming.
        """
        if self._recording is not None:
            return self._recording.metrics()
        return self.measure(*self._trims)

    @property
    def _trims(self) -> tuple[Trim, Trim]:
        """Those that the run was recorded with; none where what is noted of them is not a trim."""
        noted = self.state.facts.get("trims")
        trims = noted if isinstance(noted, Mapping) else {}
        found = (trims.get("warm_up", 0.0), trims.get("cool_down", 0.0))
        return found if all(isinstance(one, str | float | int) for one in found) else (0.0, 0.0)

    def measure(self, warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> Metrics:
        """The metrics with other trims.

        Raises:
            UsageError: a trim is malformed, or nothing remains.
        """
        if self._recording is not None:
            return self._recording.metrics(warm_up, cool_down)
        from windtunnel.results.file_columns import columns_of
        from windtunnel.results.filed_shares import FiledShares
        from windtunnel.results.metrics_as_written import bill_as_written, joules_as_written, metrics_as_written
        from windtunnel.results.stopping import up_to_stop_as_written

        joules = joules_as_written(self.file)
        if joules is None:
            with read_from(self.name, "schedule.csv"):
                joules = float(self.figures.get("consumed_joules") or 0.0) or None
        racks = (0, 0.0)
        frame = self.frame("rack_power.csv")
        if frame is not None:
            with read_from(self.name, "rack_power.csv"):
                over = frame["peak_watts"] - frame["capacity_watts"]
                racks = (frame.height, float(max(over)))
        with read_from(self.name, "jobs.csv"):
            cut = any(self.file(name) is not None for name in ("suspensions.csv", "resizes.csv"))
            stretches = self.stretches() if cut else ()
            away = self.unavailable()
        with read_from(self.name, "shares.csv"):
            shares = FiledShares(self.file("shares.csv") if away else None, self._cores())
        with read_from(self.name, "jobs.csv"):
            columns = columns_of(self.jobs, self.hosts, away, stretches, shares)
        if (warm_up, cool_down) == self._trims:
            written = metrics_as_written(self.file, columns, all_jobs=self._trims == (0.0, 0.0))
            if written is not None:
                return written
        with read_from(self.name, "resizes.csv"):
            return compute(
                columns,
                warm_up=warm_up,
                cool_down=cool_down,
                joules=joules,
                racks=racks,
                bill=bill_as_written(self.file),
                stop=up_to_stop_as_written(self.file),
                read=self.file,
            )

    def parquet(self, folder: str | Path) -> list[Path]:
        """Write each CSV file of the run as Parquet (jobs with the columns of :attr:`jobs`); returns the files.

        Raises:
            UsageError: the directory cannot be created.
        """
        target = Path(folder)
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise UsageError(f"{target} cannot be made: {fault.strerror}") from fault
        written = []
        for name in KNOWN_FILES:
            frame = self.jobs if name == "jobs.csv" else self.frame(name) if name.endswith(".csv") else None
            if frame is not None and name not in ("jobs_extra.csv", "schedule.csv"):
                path = target / name.replace(".csv", ".parquet")
                frame.write_parquet(path, compression="zstd")
                written.append(path)
        return written

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.outcome}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: how it ended, the metrics, and what did not take effect as written."""
        from html import escape

        metrics, account = self.metrics._repr_html_(), self.account._repr_html_()
        return f"<p>{escape(self.name)}: {escape(self.outcome)}</p>{metrics}{account}"


load_run = Run.load
