"""The state of a simulation: plain data, so that it can be saved, restored and forked (law 5).

What stands outside and is attached to it: the components behind the seats, and the observers in :class:`Hooks`.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heappush
from typing import Any, Final

from windtunnel.engine.state.hosts import HostTable
from windtunnel.engine.state.options import Options
from windtunnel.model import EventList, Job, JobRecord, Platform, Profile, Workload
from windtunnel.vocabulary import Features, Notice, Observer

__all__ = ["Entry", "EventFeed", "Hooks", "Priority", "Seat", "Submitter", "World"]

Entry = tuple[float, int, int, int, Any, int]
"""(date, priority, sequence, kind of event, payload, version); void when the payload's version differs."""


class Priority:
    """The order of events at one instant (decisions.md 1)."""

    END: Final = 0
    WALLTIME: Final = 1
    SWITCHED: Final = 2
    EXTERNAL: Final = 3
    CALL: Final = 4
    PERIODIC: Final = 5
    PROBE: Final = 6
    SUBMISSION: Final = 7
    NO_MORE: Final = 8
    DECISION: Final = 9
    READY: Final = 10


class Seat:
    """The engine's side of one decision component."""

    def __init__(self, rank: int, name: str) -> None:
        self.rank = rank
        self.name = name
        self.features = Features()
        self.outbox: list[Notice] = []
        self.ready_at = 0.0
        """When it has finished deciding (simulated s)."""
        self.registering = False
        """Whether it may still register jobs, which keeps the run from ending."""
        self.calls: dict[str, Any] = {}
        """Its periodic calls, by id."""
        self.probes: dict[str, Any] = {}
        """Its probes, by id."""
        self.scheduling_time = 0.0
        """Wall-clock seconds spent waiting for it."""


_HOOKS: Final = {
    "begin": "on_begin",
    "submitted": "on_job_submitted",
    "started": "on_job_started",
    "ended": "on_job_ended",
    "rejected": "on_job_rejected",
    "suspended": "on_job_suspended",
    "resumed": "on_job_resumed",
    "states": "on_machine_states",
    "pstate": "on_pstate",
    "energy": "on_energy",
    "call": "on_call",
    "external": "on_external",
    "estimate": "on_waiting_time_estimate",
    "probe": "on_probe",
    "leases": "on_leases",
    "kill": "on_kill",
    "rack": "on_rack_excess",
    "end": "on_end",
}


class Hooks:
    """For each thing that happens, the methods of the observers that want to know (those that override it)."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self.observers = tuple(observers)
        for name, method in _HOOKS.items():
            base = getattr(Observer, method)
            wanted = tuple(getattr(o, method) for o in observers if getattr(type(o), method) is not base)
            setattr(self, name, wanted)

    begin: tuple[Callable[..., None], ...]
    submitted: tuple[Callable[..., None], ...]
    started: tuple[Callable[..., None], ...]
    ended: tuple[Callable[..., None], ...]
    rejected: tuple[Callable[..., None], ...]
    suspended: tuple[Callable[..., None], ...]
    resumed: tuple[Callable[..., None], ...]
    states: tuple[Callable[..., None], ...]
    pstate: tuple[Callable[..., None], ...]
    energy: tuple[Callable[..., None], ...]
    call: tuple[Callable[..., None], ...]
    external: tuple[Callable[..., None], ...]
    estimate: tuple[Callable[..., None], ...]
    probe: tuple[Callable[..., None], ...]
    leases: tuple[Callable[..., None], ...]
    kill: tuple[Callable[..., None], ...]
    rack: tuple[Callable[..., None], ...]
    end: tuple[Callable[..., None], ...]


class Submitter:
    """Hands over the jobs of one workload, one date at a time."""

    def __init__(self, source: Workload) -> None:
        self.source = source
        self.size = len(source)
        """Jobs of the workload that will be submitted."""
        self.made = 0
        """How many of them were made (workloads make them on demand)."""
        self.ahead: list[Job] = []
        """Those of them that were not submitted yet, the next one last."""
        self.version = 0

    @property
    def left(self) -> int:
        """Jobs that were not submitted yet."""
        return self.size - self.made + len(self.ahead)

    def stop(self) -> None:
        """Submit no more."""
        self.size = self.made
        self.ahead.clear()


class EventFeed:
    """Hands over the events of one list, one date at a time."""

    def __init__(self, source: EventList) -> None:
        self.source = source
        self.next = 0


class World:
    """Everything a running simulation knows. Rooms of the engine are functions over it."""

    __slots__ = (
        "conditions",
        "done_ids",
        "energy",
        "event_lists",
        "events_left",
        "first_submission",
        "flows",
        "flows_left",
        "fluid",
        "gauges",
        "heap",
        "hooks",
        "horizon",
        "hosts",
        "jobs",
        "last_end",
        "messages",
        "met",
        "nb_ended",
        "nb_running",
        "nb_submitted",
        "nb_switch_groups",
        "nb_switches",
        "now",
        "offered",
        "open",
        "options",
        "platform",
        "private",
        "profile_uses",
        "profiles",
        "rounds",
        "seats",
        "sequence",
        "solo",
        "stage",
        "stands_for",
        "static_left",
        "storage_users",
        "submitters",
        "switching",
        "told",
        "waiting_for",
        "words",
        "workloads",
    )

    def __init__(
        self,
        platform: Platform,
        workloads: Sequence[Workload],
        event_lists: Sequence[EventList],
        seats: Sequence[str],
        options: Options,
    ) -> None:
        self.platform = platform
        self.workloads = tuple(workloads)
        self.event_lists = tuple(event_lists)
        self.options = options
        self.now = 0.0
        self.horizon = 1e-9
        """What is planned until then happens now: SimGrid's precision of 1e-9 s (execution-model.md 2.5), or a few
        units in the last place of a large date; sums that are equal on paper meet in the same instant."""
        self.heap: list[Entry] = []
        self.sequence = 0
        self.open = 0
        """How many things keep the run from ending: submitters, jobs, calls, probes, switches, registrations."""
        self.rounds = 0
        """Rounds held at this instant."""
        self.stage = "new"
        """new, begun, running, ending, over."""
        self.seats = [Seat(rank, name) for rank, name in enumerate(seats)]
        self.solo: Seat | None = self.seats[0] if len(self.seats) == 1 else None
        self.hosts = HostTable(platform, sharing=options.compute_sharing)
        self.words: dict[int, dict[str, str]] = {}
        """Hosts that are not ACTIVE, and which source of events gave them which state (see ``machines``)."""
        self.jobs: dict[str, JobRecord] = {}
        """Jobs that are alive, or whose end was not told yet."""
        self.told: list[str] = []
        """Ids of jobs to forget once their end has been told."""
        self.met: set[str] | None = None
        """All ids ever used, kept only when jobs can be registered."""
        self.profiles: dict[str, Profile] = {}
        self.profile_uses: dict[str, int] | None = None
        """How many jobs still need each profile, kept only when jobs can be registered."""
        self.waiting_for: dict[str, list[Job]] = {}
        """Jobs held back until the job with this id has ended."""
        self.stands_for: dict[str, tuple[str, ...]] = {}
        """Requeued jobs, and the ids of the lost ones that others may depend on."""
        self.done_ids: set[str] | None = None
        """Ids of ended jobs, kept only when workloads have dependencies."""
        self.flows: dict[str, Any] = {}
        """Workflow and task behind each of its jobs that are alive, by job id."""
        self.flows_left = 0
        """Workflows that have not ended."""
        self.submitters: list[Submitter] = []
        """Those of static workloads that the end of the workflows cuts short; empty unless that was asked for."""
        self.storage_users: dict[int, str] = {}
        """The last job that used each storage, kept only when storages cannot be shared."""
        self.static_left = 0
        """Workloads that still have jobs to submit."""
        self.events_left = 0
        """Event lists that still have events."""
        self.nb_running = 0
        self.nb_submitted = 0
        self.nb_ended = 0
        self.first_submission = -1.0
        self.last_end = 0.0
        self.nb_switch_groups = 0
        self.nb_switches = 0
        self.switching: dict[int, Any] = {}
        self.fluid: Any = None
        """The sharing system, once a task needs it."""
        self.energy: Any = None
        """The meters, when energy is simulated."""
        self.gauges: Any = None
        """What probes measure, while there are any."""
        self.conditions: Any = None
        """What the profiles of the platform do, where it has any."""
        self.private: dict[str, int] = {}
        """With several components: jobs that only the one of this rank knows of."""
        self.offered: list[JobRecord] = []
        """Registered jobs that other components will hear of, unless they start or are rejected before."""
        self.messages: dict[str, list[str]] = {}
        """Messages for running jobs, by job id."""
        self.hooks = Hooks()

    def push(self, date: float, priority: int, kind: int, payload: Any = None, version: int = -1) -> None:
        """Put an event into the calendar."""
        self.sequence = sequence = self.sequence + 1
        heappush(self.heap, (date, priority, sequence, kind, payload, version))

    def tell(self, notice: Notice) -> None:
        """Put a notice into every outbox."""
        if self.solo is not None:
            self.solo.outbox.append(notice)
        else:
            for seat in self.seats:
                seat.outbox.append(notice)

    def __getstate__(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "hooks"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.hooks = Hooks()
