"""ElastiSim's configuration: its files, when the scheduler is called, and what is written."""

from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Finding, Findings, read_input
from windtunnel.formats.elastisim.members import Members, load_object
from windtunnel.formats.files import reason

__all__ = ["Configuration", "read_configuration"]

_FLAGS: Final = (
    "schedule_on_job_submit",
    "schedule_on_job_finalize",
    "schedule_on_scheduling_point",
    "schedule_on_reconfiguration",
    "allow_oversubscription",
    "sensing",
    "log_task_times",
)
_SENSED: Final = ("cpu_utilization", "network_activity", "pfs_utilization", "gpu_utilization")


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration; paths as they are written. Seconds are simulated."""

    jobs_file: str
    platform_file: str
    zmq_url: str
    job_statistics: str
    node_utilization: str
    task_times: str = ""
    schedule_on_job_submit: bool = False
    schedule_on_job_finalize: bool = False
    schedule_on_scheduling_point: bool = False
    schedule_on_reconfiguration: bool = False
    allow_oversubscription: bool = False
    sensing: bool = False
    log_task_times: bool = False
    scheduling_interval: float = 0.0
    min_scheduling_interval: float = 0.0
    job_kill_grace_period: float = 0.0
    clip_evolving_requests: bool = True
    pfs_read_links: tuple[str, ...] = ()
    pfs_write_links: tuple[str, ...] = ()
    sensing_interval: float = 0.0
    cpu_utilization: str = ""
    network_activity: str = ""
    pfs_utilization: str = ""
    gpu_utilization: str = ""
    warnings: tuple[Finding, ...] = ()
    """What is odd about it."""


def _whole_milliseconds(members: Members, interval: float) -> None:
    """Calls are made every so many milliseconds: what is not is told, and what would be none is refused."""
    kept = round(interval * 1000.0)
    if interval and not kept:
        members.fault("scheduling_interval", f"{interval!r} s is shorter than a millisecond, the shortest there is")
    elif abs(kept - interval * 1000.0) > 1e-6 * max(1.0, kept):
        message = f"{interval!r} s is not a whole number of milliseconds: calls are made every {kept / 1000.0!r} s"
        members.odd("scheduling_interval", message, code="rounded")


def _written_once(members: Members, texts: dict[str, str]) -> None:
    """No file is written twice, or is one of those that are read."""
    known: dict[str, str] = {}
    for key, name in texts.items():
        if key == "zmq_url" or not name or (Path(name).exists() and not Path(name).is_file()):
            continue  # a device takes what is written several times
        file = str(Path(name).absolute())
        if file in known and not (key == "platform_file" and known[file] == "jobs_file"):
            members.fault(key, f"{name!r} is also the {known[file]}: it would be overwritten", "name another file")
        known.setdefault(file, key)


def read_configuration(path: Path) -> Configuration:
    """Read a configuration.

    Raises:
        InputError: With everything that is wrong in it.
    """
    findings = Findings(str(path))
    try:
        data = read_input(path)
    except OSError as error:
        findings.add(f"cannot be read: {reason(error)}", code="unreadable")
        findings.raise_all()
    loaded = load_object(str(path), data, findings)
    findings.raise_if_errors()
    members = Members(findings, str(path), loaded)
    needed = ("jobs_file", "platform_file", "zmq_url", "job_statistics", "node_utilization")
    texts = {key: members.text(key) for key in needed}
    flags = {key: members.flag(key) for key in _FLAGS}
    intervals = {
        key: members.number(key, 0.0, least=0.0)
        for key in ("scheduling_interval", "min_scheduling_interval", "job_kill_grace_period")
    }
    if not intervals["scheduling_interval"] and not (
        flags["schedule_on_job_submit"] and flags["schedule_on_job_finalize"]
    ):
        hint = "give a scheduling_interval, or set schedule_on_job_submit and schedule_on_job_finalize"
        members.fault("", "the scheduler would not be called for each submission and end, nor periodically", hint)
    _whole_milliseconds(members, intervals["scheduling_interval"])
    clip = members.flag("clip_evolving_requests", default=True)
    members.flag("show_progress_bar", default=True)
    if members.get("forward_io_information") is not None:
        members.odd("forward_io_information", "this has no effect, as in ElastiSim", code="no-effect")
    links = {key: members.texts(key) for key in ("pfs_read_links", "pfs_write_links")}
    sensing = flags["sensing"]
    outputs = {key: members.text(key, None if sensing else "") for key in _SENSED}
    interval = members.number("sensing_interval", None if sensing else 0.0, least=0.0)
    if sensing and members.get("sensing_interval") == 0:
        members.fault("sensing_interval", "sensing every 0 s would never end")
    times = members.text("task_times", None if flags["log_task_times"] else "")
    members.rest()
    _written_once(members, texts | outputs | {"task_times": times if flags["log_task_times"] else ""})
    findings.raise_if_errors()
    values: dict[str, Any] = {**texts, **flags, **intervals, **links, **outputs}
    return Configuration(
        **values,
        clip_evolving_requests=clip,
        sensing_interval=interval,
        task_times=times,
        warnings=tuple(findings),
    )
