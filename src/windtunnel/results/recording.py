"""A recording: all that is written about one run, and where."""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from sys import float_info
from typing import Any, Self

from windtunnel.diagnostics import Account, SimulationError, UsageError
from windtunnel.model import Platform, Workload
from windtunnel.results.columns import Collector
from windtunnel.results.flushing import Flusher
from windtunnel.results.input_files import input_files
from windtunnel.results.job_batches import JobBatches
from windtunnel.results.layout import DERIVED_FILES, Layout
from windtunnel.results.marker import ended_by, mark, mark_spoilt
from windtunnel.results.metrics import Metrics
from windtunnel.results.place import Place
from windtunnel.results.recorders import RecordingOptions, recorders
from windtunnel.results.rows import Recorder, Rows
from windtunnel.results.run_files import RunFiles
from windtunnel.results.run_notes import RunNotes
from windtunnel.results.state import RunState, Status, as_plain
from windtunnel.results.trimming import Trim
from windtunnel.results.whole_run import WholeRun
from windtunnel.version import __version__, build
from windtunnel.vocabulary.component import Observer

__all__ = ["COMPLETE", "Recording"]

COMPLETE = "complete"
"""The outcome of a run that came to its end; any other text says why it did not."""


class Recording(Observer):
    """Records a run: give :attr:`observers` to the engine, and :meth:`close` it whatever happens.

    ``facts`` (scheduler, options, seeds...) go into ``run.json``, and so does ``account`` (as it is when the run has
    ended); ``start_date`` is the calendar date of time 0.
    Rows reach the disk at least once a second; until the run has ended, ``run.json`` says ``running``. An earlier run
    is replaced whole; ``inputs`` are files that never are (``run.json`` has their sizes and hashes), and what is not
    ours is replaced only with ``force``. With ``on_disk`` what metrics are computed from is in temporary files, and
    the recording can be neither saved nor forked.

    Raises:
        UsageError: the place cannot be used (see :meth:`Place.take`), or a trim is malformed.
        SimulationError: a file cannot be written.
    """

    def __init__(
        self,
        layout: Layout | None = None,
        options: RecordingOptions | None = None,
        *,
        facts: Mapping[str, Any] | None = None,
        start_date: float | None = None,
        inputs: Iterable[str | Path] = (),
        force: bool = False,
        account: Account | None = None,
        on_disk: bool = False,
    ) -> None:
        self._files = RunFiles(layout := layout or Layout())
        self.options = options = options or RecordingOptions()
        self.state = RunState(
            windtunnel=__version__,
            build=build(),
            dialect=layout.dialect.value,
            facts=as_plain(facts or {}),
            start_date=start_date,
        )
        self.state.inputs = input_files(inputs := [*inputs])
        self.account = Account() if account is None else account
        """What did not take effect as written."""
        self._notes = RunNotes(self.state, self.account)
        self._flusher: Flusher | None = None
        self._held = False
        self.collector = Collector(on_disk=on_disk)
        self._whole = WholeRun(self.collector, options, layout.dialect)
        self._take(Place.take(layout, inputs=inputs, force=force))
        try:
            self._write_state()
            try:
                self._place.clear()
                self._recorders = recorders(layout, options, self.collector)
                self._files.rows = {r.rows.name: r.rows for r in self._recorders if isinstance(r, Recorder)}
            except BaseException as fault:
                self._spoilt(fault)
                raise
        except BaseException:
            self._place.release()
            raise

    def _take(self, place: Place) -> None:
        """Write there from now on."""
        self._place = place
        self._token = place.token
        place.when_lost(self._displaced)

    def _displaced(self) -> None:
        """A restored run continues in these files: nothing of this one may reach them any more."""
        self._stop()
        self.state.status = Status.INCOMPLETE
        self.state.reason = "a restored run continues in its own files"
        for rows in self.rows.values():
            rows.stop(self.state.reason)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Before the run: whatever ends it within is how it ended."""
        try:
            yield
        except BaseException as fault:
            self.close(ended_by(fault))
            raise

    @contextmanager
    def holding(self) -> Iterator[None]:
        """For the run, and while what is made from it is written beside: only then is it marked as complete.

        Until then no other process may begin a run there.
        """
        self._place.hold()
        self._held = True
        try:
            with self.kept():
                yield
        except (SimulationError, KeyboardInterrupt) as fault:
            if self.state.status is Status.COMPLETE:
                self._spoilt(fault)
            raise
        finally:
            self._held = False
            try:
                if self.state.status is not Status.RUNNING:
                    self._place.check_ours()
                    self._write_state()
            except KeyboardInterrupt as fault:
                self._spoilt(fault)
                raise
            finally:
                self._place.release()

    @property
    def observers(self) -> list[Observer]:
        """What the engine is to call, in this order."""
        return [*self._recorders, self._notes, self._whole, self]

    @property
    def _batches(self) -> JobBatches:
        (batches,) = (r for r in self._recorders if isinstance(r, JobBatches))
        return batches

    @property
    def rows(self) -> dict[str, Rows]:
        """The growing files, by name."""
        return self._files.rows

    @property
    def layout(self) -> Layout:
        """Where it is written."""
        return self._files.layout

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- hook
        """What is known of the inputs is written; from now on rows are written regularly."""
        self._write_state()
        self._watch()

    def _watch(self) -> None:
        if self.layout.stem is not None and self._flusher is None:
            # Nothing that mypyc compiles: it forgets weak references to what it frees.
            self._flusher = Flusher([self], self._process_ends)

    def keep(self, name: str, data: bytes) -> None:
        """Keep a small file of the run that others make."""
        self._files.write(name, data)

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:
        """Write the figures of the whole run, and how it ended."""
        if self.state.status is not Status.RUNNING:
            return
        self._whole.totals = dict(totals)
        # A float also when a scheduler works with numpy's; JSON has no number for times that overflowed.
        self.state.simulated_time = float(now) if isfinite(now) else float_info.max
        self.state.status = Status.COMPLETE if outcome == COMPLETE else Status.INCOMPLETE
        self.state.reason = "" if outcome == COMPLETE else outcome
        self._stop()
        try:
            self.flush()
            if "unfinished" in totals:  # the engine ended early, and says of what
                self._whole.stop(self.state.simulated_time)
            self._whole.write(self._files.write, self.read)
            self.state.files = sorted({"run.json", *self._files.names, *self._place.files()} - {*DERIVED_FILES})
            self._place.check_ours()
            if not self._held:
                self._write_state()
        except BaseException as fault:
            self._spoilt(fault)
            raise
        finally:
            self._place.release()

    def _spoilt(self, fault: BaseException) -> None:
        mark_spoilt(self._files, self.state, self.account, self._place, fault)

    def close(self, reason: str = "the run was abandoned") -> None:
        """Write out what was recorded; a run that has not ended is marked incomplete. May be called twice."""
        if self.state.status is Status.RUNNING:
            self.on_end(self.state.simulated_time, reason, self._whole.totals)
        self._stop()

    def _process_ends(self) -> None:
        self._held = False  # nobody comes back to mark it
        self.close("the process ended before the run")

    def _stop(self) -> None:
        if self._flusher is not None:
            self._flusher.stop()
            self._flusher = None

    def flush(self) -> None:
        """Write what is pending.

        Raises:
            SimulationError: it cannot be written.
        """
        self._batches.flush()
        for rows in self.rows.values():
            rows.flush()

    def metrics(self, warm_up: Trim | None = None, cool_down: Trim | None = None) -> Metrics:
        """The metrics of what happened so far; trims default to the options'.

        Raises:
            UsageError: a trim is malformed, or nothing remains.
        """
        options = self.options
        usual = options.warm_up, options.cool_down
        trims = usual[0] if warm_up is None else warm_up, usual[1] if cool_down is None else cool_down
        if trims == usual and self._whole.final is not None:
            return self._whole.final
        self._batches.flush()
        over = self.state.status is not Status.RUNNING  # what is read from its files later comes to the same
        return self._whole.measure(*trims, self.read, columns=self.collector.columns.as_filed() if over else None)

    def _write_state(self) -> None:
        mark(self._files, self.state, self.account)

    def read(self, name: str) -> bytes | None:
        """The content of one of the run's files, None if there is no such file (yet)."""
        if name in self._files.rows:
            self._batches.flush()
        return self._files.read(name)

    def fork(self, layout: Layout | None = None) -> Self:
        """An independent recording at another place that continues from here, with all that was recorded so far.

        What it ends up with is, byte for byte, what a run that was never forked writes there.

        Raises:
            UsageError: it is the place of this recording.
            SimulationError: a file cannot be written.
        """
        self.flush()
        new = copy.deepcopy(self)
        new.relocate(layout or Layout(None, self.layout.dialect))
        return new

    def relocate(self, layout: Layout) -> None:
        """Copy what was written to another place and continue there; the old files stay."""
        if layout.stem is not None and layout.stem == self.layout.stem:
            raise UsageError(f"{layout.stem} is already being written by the run that is forked")
        if layout.dialect is not self.layout.dialect:
            raise UsageError(f"a {self.layout.dialect.value} recording cannot go on as {layout.dialect.value}")
        self._take(Place.take(layout))
        self._files.layout = layout
        self._write_state()
        self._place.clear()
        self._files.move()
        if self.state.status is Status.RUNNING and self.state.platform.hosts:
            self._watch()

    def resume(self) -> None:
        """After this recording was pickled and read back: continue in the same files, from where they were then.

        Raises:
            UsageError: another run writes there.
            SimulationError: the files are not there any more, or are another run's.
        """
        self._take(Place.take_again(self.layout, self._token))
        try:
            for rows in self.rows.values():
                rows.resume()
            self._write_state()
            self._place.clear(kept=[name for name, rows in self.rows.items() if rows.exists])
        except BaseException:
            self._place.release()
            raise
        if self.state.status is Status.RUNNING:
            self._watch()

    def __getstate__(self) -> dict[str, Any]:
        self.flush()
        return {name: value for name, value in self.__dict__.items() if name != "_place"} | {"_flusher": None}
