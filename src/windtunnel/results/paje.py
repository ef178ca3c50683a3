"""``schedule.trace``: the Gantt chart in the Pajé format, as Batsim 3 and 4 write it (for Vite and the like).

A machine shows the first of its jobs by (submission time, id). Colours follow from the job id, so that the same run
gives the same bytes (Batsim shuffles them).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from windtunnel.model import DelayProfile, HostSet, JobRecord, Platform, Workload
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder

__all__ = ["PajeTrace", "colour_of"]

# Field lists as in the recorded files, trailing blanks included.
_EVENTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("PajeDefineContainerType", ("Type string", "Alias string", "Name string")),
    (
        "PajeCreateContainer",
        ("Time date ", "Type string  ", "Alias string ", "Name string   ", "Container string  "),
    ),
    ("PajeDestroyContainer", ("Time date", "Name string ", "Type string")),
    ("PajeDefineStateType", ("Alias string ", "Type string ", "Name string ")),
    ("PajeDefineEntityValue", ("Alias string  ", "Type string  ", "Name string  ", "Color color ")),
    ("PajeSetState", ("Time date  ", "Type string  ", "Container string  ", "Value string  ")),
    ("PajeDefineEventType", ("Type string", "Alias string", "Name string")),
    ("PajeNewEvent", ("Time date", "Type string", "Container string", "Value string")),
    ("PajeDefineVariableType", ("Type string", "Alias string", "Name string", "Color string")),
    ("PajeSetVariable", ("Time date", "Type string", "Container string", "Value double")),
)
_TYPES: Final = """\
# Container types creation
1 0 root_ct "Machines"
1 root_ct machine_ct "Machine"
1 0 scheduler_ct "Scheduler"
1 scheduler_ct killer_ct "Killer"

# Event types creation
7 killer_ct kk "Job kill"
7 machine_ct km "Job kill"

# Variable types creation
9 scheduler_ct vu_vt "Utilization" "0.0 0.5 0.0"

# Containers creation
"""
_STATES: Final = """\

# States creation
4 machine_state machine_ct "Machine state"

# Creation of the different values the machine state can be
5 w machine_state "Waiting" "0.0 0.0 0.0"
5 l machine_state "Launching" "0.3 0.3 0.3"

# Begin of events
"""


def colour_of(job_id: str) -> str:
    """One of 64 hues, by a checksum of the id: ``"r g b"`` in [0, 1]."""
    hue = crc32(job_id.encode("utf-8", "backslashreplace")) % 64 * 6 / 64
    sector, part = divmod(hue, 1.0)
    rising, falling = part, 1.0 - part
    red, green, blue = (
        (1.0, rising, 0.0),
        (falling, 1.0, 0.0),
        (0.0, 1.0, rising),
        (0.0, falling, 1.0),
        (rising, 0.0, 1.0),
        (1.0, 0.0, falling),
    )[int(sector)]
    return f"{red:f} {green:f} {blue:f}"


def _definitions() -> str:
    blocks = []
    for number, (name, fields) in enumerate(_EVENTS, 1):
        body = "".join(f"% {field}\n" for field in fields)
        blank = " " if name == "PajeSetState" else ""
        blocks.append(f"%EventDef {name} {number}\n{body}%EndEventDef{blank}\n\n")
    return "".join(blocks)


class PajeTrace(Recorder):
    """Writes ``schedule.trace``; costs as much as jobs have hosts, so it is written only when asked for."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("schedule.trace")
        self._machines: list[int] = []
        self._here: dict[int, list[tuple[float, str]]] = {}
        self._named: set[str] = set()

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- hook
        """Write everything up to the first event."""
        machines = (*platform.hosts, *platform.storages)
        self._machines = [host.id for host in machines]
        add = self.rows.add
        add(_definitions() + _TYPES)
        add(f'2 {now:f} root_ct root "Machines" 0\n')
        for host in machines:
            add(f'2 {now:f} machine_ct m{host.id} "{host.name}" root\n')
        add(f'2 {now:f} scheduler_ct sc "Scheduler" 0\n2 {now:f} killer_ct k "Killer" sc\n')
        add(_STATES)
        for host in machines:
            add(f"6 {now:f} machine_state m{host.id} w\n")

    def on_job_started(self, now: float, record: JobRecord) -> None:
        """Show the job on its machines."""
        job = record.job
        if job.id not in self._named:
            self._named.add(job.id)
            self.rows.add(f'5 j{job.id} machine_state "{job.id}" "{colour_of(job.id)}"\n')
        key = (job.submission_time, job.id)
        for host in record.hosts:
            here = self._here.setdefault(host, [])
            if not here or key < min(here):
                self.rows.add(f"6 {now:f} machine_state m{host} j{job.id}\n")
            here.append(key)

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """Show it again."""
        self.on_job_started(now, record)

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """Show it no more for the time being."""
        self._leave(now, record, record.hosts)

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:  # noqa: ARG002 -- the record has it
        """Show it where it is now."""
        self._leave(now, record, HostSet(before))
        self.on_job_started(now, record)

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """Show the next job of its machines, or that they wait."""
        self._leave(now, record, record.hosts)
        self._named.discard(record.job.id)

    def _leave(self, now: float, record: JobRecord, hosts: HostSet) -> None:
        key = (record.job.submission_time, record.job.id)
        for host in hosts:
            here = self._here.get(host, [])
            if key not in here:
                continue
            shown = min(here)
            here.remove(key)
            if not here:
                self.rows.add(f"6 {now:f} machine_state m{host} w\n")
            elif shown == key:
                self.rows.add(f"6 {now:f} machine_state m{host} j{min(here)[1]}\n")

    def on_kill(self, now: float, record: JobRecord) -> None:
        """Mark a kill; delays killed by the scheduler have no mark (as in Batsim, which kills their actor)."""
        job = record.job
        if record.kill_requests and isinstance(job.profile, DelayProfile):
            return
        self.rows.add(f'8 {now:f} kk k "{job.id}"\n')
        for host in record.hosts:
            self.rows.add(f'8 {now:f} km m{host} "{job.id}"\n')

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:  # noqa: ARG002 -- hook
        """Close the containers."""
        self.rows.add("\n# End of events, containers destruction\n")
        for host in self._machines:
            self.rows.add(f"3 {now:f} m{host} machine_ct\n")
        self.rows.add(f"3 {now:f} root root_ct\n")
