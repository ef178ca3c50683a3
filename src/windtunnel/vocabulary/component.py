"""The interfaces of decision components and of observers of a run."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

import msgspec

from windtunnel.model import HostSet, JobRecord, Platform, Workload
from windtunnel.model.lease import Lease
from windtunnel.vocabulary.brief import BriefDecision, News
from windtunnel.vocabulary.lease_facts import LeaseFact
from windtunnel.vocabulary.notices import Notice
from windtunnel.vocabulary.reply import Reply
from windtunnel.vocabulary.view import View

__all__ = [
    "MOST_GATHERED",
    "Component",
    "DecidesBriefly",
    "ExplainsDeadlocks",
    "Features",
    "FollowsSignals",
    "HearsErrors",
    "Hello",
    "LengthensLeases",
    "Named",
    "Observer",
    "WithView",
]


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """The features that a component requests (``EDCRequestedSimulationFeatures`` of batprotocol)."""

    dynamic_registration: bool = False
    profile_reuse: bool = False
    acknowledge_dynamic_jobs: bool = False
    forward_profiles_on_job_submission: bool = False
    forward_profiles_on_jobs_killed: bool = False
    forward_profiles_on_simulation_begins: bool = False


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """How a component introduces itself before the simulation starts."""

    name: str
    version: str = ""
    commit: str | None = None
    features: Features = Features()
    protocol_version: str = ""
    protocol_commit: str = ""
    follow_phases: bool = False
    """Our own, for ElastiSim's wire: notify it when jobs begin or resume their phases, and which GPUs are in use."""
    follow_others: bool = False
    """Our own: notify it which jobs other components start and reject, and which hosts they begin to switch. No
    protocol can express this; in-process schedulers request it themselves."""


@runtime_checkable
class Component(Protocol):
    """A decision component: a scheduler in process, behind a socket, or in a shared library."""

    def hello(self) -> Hello:
        """Called once, before anything else.

        Raises:
            ComponentError: it cannot be reached or does not answer.
        """

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Receive everything that happened since the last call, in order; reply with decisions.

        Raises:
            ComponentError: it failed.
        """

    def stop(self) -> None:
        """Called once at the end, even after an error; must not raise."""


@runtime_checkable
class DecidesBriefly(Protocol):
    """A component that always finishes deciding at the time of the message and hears of jobs by their records."""

    def decide_briefly(self, now: float, news: Sequence[News]) -> list[BriefDecision]:
        """The decisions of its ``decide`` in few words (:mod:`~windtunnel.vocabulary.brief`).

        The engine asks for these where it can.
        """


@runtime_checkable
class Named(Protocol):
    """A component, or a class of components, that gives its own name; "" stands for the name of its class."""

    name: str


@runtime_checkable
class HearsErrors(Protocol):
    """A component that may be notified when a run fails; its reply is then ignored."""

    wants_errors: bool
    """Whether it gets a ``SimulationErrorOccurred`` at the end of a run that fails."""


@runtime_checkable
class LengthensLeases(Protocol):
    """A component whose settings lengthen the leases it receives."""

    def lasts(self, lease: Lease, /) -> tuple[float, float | None]:
        """The requested and the actual duration of a lease (None: the same) in seconds."""


@runtime_checkable
class ExplainsDeadlocks(Protocol):
    """A component that may know why nothing can happen any more."""

    def why_stuck(self) -> str:
        """The reason in words; "" if it knows none."""


@runtime_checkable
class WithView(Protocol):
    """A component that keeps a view of the site."""

    view: View


@runtime_checkable
class FollowsSignals(Protocol):
    """A component that decides by a signal such as ``carbon``, if the run has it."""

    follows: str
    """Which signal."""


MOST_GATHERED: Final = 999
"""Records that gather in a list of an observer's before it is called."""


class Observer:
    """Sees what happens in a run, in order; recorders derive from it and override what they need.

    Observers are not part of the engine's state: they are not saved or forked with it unless they implement that.
    """

    gathered_states: list[Any] | None = None
    """Where an observer puts date and numbers of machine states, if it does no more with them: where it is the only
    one, the engine does that itself. Known when the run starts."""
    gathered_jobs: list[JobRecord] | None = None
    """The same for the records of jobs that have ended; with :data:`MOST_GATHERED` in the list, it is called."""

    def on_prepared(self, platform: Platform, workloads: Sequence[Workload], until: float) -> None:
        """All is read, and no file of an earlier run is replaced yet; the run lasts until ``until`` (s) at most.

        What cannot be observed is refused here, with a :class:`~windtunnel.diagnostics.UsageError`. Called by
        :class:`windtunnel.Simulation`.
        """

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:
        """The run starts."""

    def on_hello(self, now: float, name: str, hello: Hello) -> None:
        """A decision component, with its name in this run, has introduced itself (before ``on_begin``)."""

    def on_ignored(self, now: float, kind: str, reason: str, place: str) -> None:
        """A request of a component has no effect, or not the requested one; ``place`` says where."""

    def on_job_submitted(self, now: float, record: JobRecord) -> None:
        """A job was submitted."""

    def on_job_started(self, now: float, record: JobRecord) -> None:
        """A job started on its hosts."""

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """A job ended and left its hosts (``record.state`` says how); its row can be written."""

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """A job was rejected."""

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """A job was suspended and left its hosts (they are still in ``record.hosts``)."""

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """A suspended job resumed on hosts."""

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:
        """A running job has changed its hosts (in order of its ranks)."""

    def on_task_ended(self, now: float, record: JobRecord, hosts: Sequence[int], name: str, seconds: float) -> None:
        """A task of an application has ended on some of its hosts, with its duration in seconds."""

    def on_machine_states(self, now: float, counts: Sequence[int]) -> None:
        """The numbers of hosts that sleep, switch on, switch off, idle and compute, after each change."""

    def on_pstate(self, now: float, hosts: HostSet, pstate: int) -> None:
        """Hosts have reached a power state (-1 / -2: they are being switched on / off)."""

    def on_energy(self, now: float, joules: float, kind: str, epsilon_watts: float) -> None:
        """The energy of all hosts since the start, at a job's start (``s``), end (``e``) or a power event (``p``)."""

    def on_power(
        self,
        since: float,
        until: float,
        joules: tuple[float, float, float, float],
        carbon: tuple[float, float] | None,
        price: tuple[float, float] | None,
        stored: tuple[float, float, float] | None,
        sources: tuple[float, float, float] | None,
        capped: tuple[float, float] | None,
    ) -> None:
        """A quarter of an hour, or the part of it in the run, from ``since`` to ``until`` (s) is over.

        Joules of machines, of devices of the supply, of all that is supplied (these and losses), and of the site;
        integral of the carbon intensity (g/kWh·s) and grams of the grid; integral of the price (currency/MWh·s) and
        cost of the grid; joules that a battery took and gave, and held in the end; joules that the site generated and
        exported, and the revenue of the latter. The grid gives what the site consumes and exports and its battery
        takes, less what the battery gives and the site generates. Last, the integral of the power cap and joules of
        the machines above it. None: not part of the account.
        """

    def on_bill(self, now: float, record: JobRecord, grams: float | None, cost: float | None) -> None:
        """A job has ended: grams of CO2 equivalent and cost of its hosts' joules; None: not accounted."""

    def on_call(self, now: float, notices: Sequence[Notice], reply: Reply, seconds: float) -> None:
        """A component was called and replied, with the wall-clock time that took (s)."""

    def on_external(self, now: float, notice: Notice) -> None:
        """The availability of hosts changed, or another external event occurred."""

    def on_waiting_time_estimate(self, now: float, job_id: str, estimate: float) -> None:
        """A component replied how long a job would wait."""

    def on_probe(self, now: float, measured: Notice) -> None:
        """A probe has emitted data (a ``ProbeDataEmitted``)."""

    def on_leases(self, now: float, facts: Sequence[LeaseFact]) -> None:
        """A lease manager has reported the outcome of leases and reservations."""

    def on_kill(self, now: float, record: JobRecord) -> None:
        """A job is being killed (by its walltime or by a component) while it holds its hosts."""

    def on_rack_excess(self, rack: str, since: float, until: float, peak: float, capacity: float) -> None:
        """A rack drew more than its capacity (W), up to ``peak``, between two past times (s)."""

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:
        """The run ended: ``outcome`` is ``complete`` or why it is not; ``totals`` holds the engine's totals.

        Those of a run that ends early have ``unfinished``, the records of jobs that are submitted and have not ended.
        """
