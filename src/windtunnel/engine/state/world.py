"""The state of a simulation: plain data, so that it can be saved, restored and forked (law 5).

What stands outside and is attached to it: the components behind the sessions, and the observers in :class:`Hooks`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.state.calendar import Entry, plan
from windtunnel.engine.state.feeds import Submitter
from windtunnel.engine.state.hosts import HostTable
from windtunnel.engine.state.observers import Hooks
from windtunnel.engine.state.options import Options
from windtunnel.engine.state.sessions import Session
from windtunnel.engine.state.subsystems import Conditions, Energy, Gauges, Sharing
from windtunnel.model import EventList, Job, JobRecord, Platform, Profile, Workload
from windtunnel.vocabulary import Notice

if TYPE_CHECKING:
    from windtunnel.model.billing import Billing

__all__ = ["World"]

_SAVED: Final = (
    "arguments",
    "billing",
    "conditions",
    "done_ids",
    "energy",
    "event_lists",
    "events_left",
    "first_submission",
    "gauges",
    "gpus",
    "heap",
    "horizon",
    "hosts",
    "jobs",
    "last_end",
    "linked",
    "machine_states",
    "messages",
    "metered",
    "nb_submitted",
    "nb_switch_groups",
    "nb_switches",
    "now",
    "only_session",
    "options",
    "platform",
    "private_jobs",
    "profile_uses",
    "profiles",
    "replaced_ids",
    "rounds",
    "sequence",
    "sessions",
    "sharing",
    "stage",
    "static_dates",
    "static_left",
    "stopped",
    "strict",
    "storage_users",
    "submitters",
    "to_forget",
    "unannounced",
    "unfinished",
    "used_ids",
    "waiting_for",
    "workflow_tasks",
    "workflows_left",
    "workloads",
)
"""What a saved simulation keeps of the world."""


@mypyc_attr(allow_interpreted_subclasses=True)
class World:
    """Everything a running simulation knows. Rooms of the engine are functions over it."""

    __slots__ = (*_SAVED, "asks_waiting_times", "hooks")

    def __init__(
        self,
        platform: Platform,
        workloads: Sequence[Workload],
        event_lists: Sequence[EventList],
        names: Sequence[str],
        options: Options,
        billing: "Billing | None" = None,
    ) -> None:
        self.billing = billing
        """What is asked of the account of the site's electricity; None: there is no such account."""
        self.platform = platform
        self.workloads = tuple(workloads)
        self.event_lists = tuple(event_lists)
        self.options = options
        self.strict = options.strict
        self.asks_waiting_times = options.ask_waiting_times
        self.now = 0.0
        self.horizon = 1e-9
        """What is planned until then happens now: SimGrid's precision of 1e-9 s (execution-model.md 2.5), or a few
        units in the last place of a large date; sums that are equal on paper meet in the same instant."""
        self.heap: list[Entry] = []
        self.sequence = 0
        self.unfinished = 0
        """How many things besides jobs keep the run from ending: submitters, calls, probes, switches...."""
        self.rounds = 0
        """Rounds held at this instant."""
        self.stage = "new"
        """new, begun, running, ending, over."""
        self.sessions = [Session(rank, name) for rank, name in enumerate(names)]
        self.only_session: Session | None = self.sessions[0] if len(self.sessions) == 1 else None
        self.hosts = HostTable(platform, sharing=options.compute_sharing)
        self.machine_states: dict[int, dict[str, str]] = {}
        """Hosts that are not ACTIVE: the state that each source of events has given them (see ``site/machines``)."""
        self.jobs: dict[str, JobRecord] = {}
        """Jobs that are alive, or whose end was not told yet."""
        self.to_forget: list[str] = []
        """Ids of jobs that have ended, forgotten once their end has been told."""
        self.used_ids: set[str] | None = None
        """All ids ever used, kept only when jobs can be registered."""
        self.profiles: dict[str, Profile] = {}
        self.profile_uses: dict[str, int] | None = None
        """How many jobs still need each profile, kept only when jobs can be registered."""
        self.waiting_for: dict[str, list[Job]] = {}
        """Jobs held back until the job with this id has ended."""
        self.replaced_ids: dict[str, tuple[str, ...]] = {}
        """Requeued jobs, and the ids of the lost ones that others may depend on."""
        self.done_ids: dict[str, float] | None = None
        """Ids of ended jobs, kept only when workloads have dependencies."""
        self.linked = False
        """Whether the end of a job may be of interest to other jobs, or jobs are known to some components only."""
        self.workflow_tasks: dict[str, Any] = {}
        """Workflow and task behind each of its jobs that are alive, by job id."""
        self.workflows_left = 0
        """Workflows that have not ended."""
        self.submitters: list[Submitter] = []
        """Those of static workloads that the end of the workflows cuts short; empty unless that was asked for."""
        self.storage_users: dict[int, str] = {}
        """The last job that used each storage, kept only when storages cannot be shared."""
        self.static_dates: dict[str, float] | None = None
        """When each static job is submitted, once somebody has named one that is not alive."""
        self.stopped = ""
        """Who has stopped the run before its end, and what it cut short."""
        self.static_left = 0
        """Workloads that still have jobs to submit."""
        self.events_left = 0
        """Event lists that still have events."""
        self.nb_submitted = 0
        self.first_submission = -1.0
        self.last_end = 0.0
        self.nb_switch_groups = 0
        self.nb_switches = 0
        self.sharing = Sharing()
        """How tasks share hosts and links."""
        self.metered = False
        """Whether energy is simulated."""
        self.energy = Energy()
        """Meters, when it is."""
        self.gauges = Gauges()
        """What probes follow."""
        self.arguments: dict[str, dict[str, str]] = {}
        """Arguments given to waiting jobs, by job id."""
        self.gpus: Any = None
        """What waits for GPUs and the links between them, once a task uses any."""
        self.conditions = Conditions()
        """What the profiles of the platform do."""
        self.private_jobs: dict[str, int] = {}
        """With several components: jobs that only the one of this rank knows of."""
        self.unannounced: list[JobRecord] = []
        """Registered jobs that other components will hear of, unless they start or are rejected before."""
        self.messages: dict[str, list[str]] = {}
        """Messages for running jobs, by job id."""
        self.hooks = Hooks()

    @property
    def nb_alive(self) -> int:
        """Jobs that were submitted and have neither ended nor been rejected."""
        return len(self.jobs) - len(self.to_forget)

    @property
    def going_on(self) -> bool:
        """Whether something keeps the run from ending."""
        return self.unfinished > 0 or len(self.jobs) > len(self.to_forget)

    def push(self, date: float, priority: int, kind: int, payload: Any = None, version: int = -1) -> None:
        """Put an event into the calendar."""
        self.sequence = sequence = self.sequence + 1
        plan(self.heap, (date, priority, sequence, kind, payload, version))

    def tell(self, notice: Notice) -> None:
        """Put a notice into every outbox."""
        if self.only_session is not None:
            self.only_session.outbox.append(notice)
        else:
            for session in self.sessions:
                session.outbox.append(notice)

    def tell_others(self, rank: int, notice: Notice) -> None:
        """Tell what a component has done to the others that follow it."""
        for session in self.sessions:
            if session.rank != rank and session.follows_others:
                session.outbox.append(notice)

    def ignore(self, kind: str, reason: str, place: str) -> None:
        """Tell the run's account of something that a component asked for and that has no effect."""
        for hook in self.hooks.ignored:
            hook(self.now, kind, reason, place)

    def __getstate__(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in _SAVED}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.asks_waiting_times = self.options.ask_waiting_times
        self.hooks = Hooks()
