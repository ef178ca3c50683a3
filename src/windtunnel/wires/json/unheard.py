"""What a Batsim says to a scheduler of ours that is not heard: each name is told once, in the log."""

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from windtunnel.diagnostics import Finding, Severity, did_you_mean, printable
from windtunnel.wires.json.options import JsonOptions

__all__ = ["Unheard"]

_log: Final = logging.getLogger("windtunnel.wires.json")

_MESSAGE: Final = frozenset({"now", "events"})
_EVENT: Final = frozenset({"timestamp", "type", "data"})
_HOST: Final = frozenset({"id", "name", "state", "properties", "zone_properties"})
_CONFIG: Final = frozenset(JsonOptions().config())
_QUESTION: Final = frozenset({"estimate_waiting_time"})
_ASKED: Final = frozenset({"job_id", "job"})
_DATA: Final[Mapping[str, frozenset[str]]] = {
    "SIMULATION_BEGINS": frozenset(
        {
            *("nb_resources", "nb_compute_resources", "nb_storage_resources"),
            *("allow_compute_sharing", "allow_storage_sharing", "config", "workloads", "profiles"),
            *("compute_resources", "resources_data", "storage_resources"),
        }
    ),
    "SIMULATION_ENDS": frozenset(),
    "JOB_SUBMITTED": frozenset({"job_id", "job", "profile"}),
    "JOB_COMPLETED": frozenset({"job_id", "job_state", "return_code", "alloc"}),
    "JOB_KILLED": frozenset({"job_ids", "job_progress"}),
    "RESOURCE_STATE_CHANGED": frozenset({"resources", "state"}),
    "REQUESTED_CALL": frozenset(),
    "ANSWER": frozenset({"consumed_energy"}),
    "QUERY": frozenset({"requests"}),
    "FROM_JOB_MSG": frozenset({"job_id", "msg"}),
}
"""The members of ``data``, by type of event; those of NOTIFY depend on what is notified."""
_NOTIFY: Final[Mapping[str, frozenset[str]]] = {
    "no_more_static_job_to_submit": frozenset({"type"}),
    "no_more_external_event_to_occur": frozenset({"type"}),
    "event_machine_available": frozenset({"type", "resources"}),
    "event_machine_unavailable": frozenset({"type", "resources"}),
    "decision_refused": frozenset({"type", "event", "rule", "reason"}),
    "generic": frozenset({"type", "timestamp", "data"}),
}
"""All members of other external events are handed to the scheduler."""
_MOST: Final = 100
"""Names that are told of one Batsim."""


class Unheard:
    """Looks for members that the protocol does not have, and tells the name of each once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def message(self, message: Mapping[str, Any]) -> None:
        """Look at the members of a whole message and of its events; those that each must have are there."""
        if len(message) > len(_MESSAGE):
            self._members("a message", message, _MESSAGE)
        for event in message["events"]:
            kind, data = event["type"], event["data"]
            if len(event) > len(_EVENT):
                self._members(f"an event {kind}", event, _EVENT)
            known = _DATA.get(kind)
            if known is None:
                known = _NOTIFY.get(data["type"])
            if known is not None and type(data) is dict and not known.issuperset(data):
                self._members(f"data of {kind}", data, known)

    def beginning(self, data: Mapping[str, Any], hosts: Iterable[Mapping[str, Any]]) -> None:
        """Look at what SIMULATION_BEGINS says of options and hosts."""
        config = data.get("config", {})
        self._members("config of SIMULATION_BEGINS", config, _CONFIG)
        if config.get("sched-config"):
            self._tell(
                "sched-config",
                "",
                "sched-config is for schedulers that read it themselves: ours take options where they are served "
                "(windtunnel scheduler NAME -o KEY=VALUE)",
            )
        for host in hosts:
            if not _HOST.issuperset(host):
                self._members("a resource", host, _HOST)

    def question(self, requests: Mapping[str, Any]) -> None:
        """Look at what QUERY asks for."""
        self._members("requests of QUERY", requests, _QUESTION)
        self._members("estimate_waiting_time of QUERY", requests["estimate_waiting_time"], _ASKED)

    def findings(self, findings: Iterable[Finding]) -> None:
        """Tell what was found in the description of a job or profile; what is handed on as it is, to who asks."""
        for found in findings:
            text = f"{found.message}; {found.hint}" if found.hint else found.message
            level = logging.INFO if found.severity is Severity.NOTE else logging.WARNING
            self._tell(found.code, found.message if found.severity is not Severity.ERROR else "", text, level)

    def _members(self, what: str, met: Iterable[str], known: Collection[str]) -> None:
        for name in met:
            if name not in known:
                text = f"{name!r:.60} of {what} is not known: it has no effect"
                hint = did_you_mean(name, known) if known else ""
                self._tell(what, name, f"{text}; {hint}" if hint else text)

    def _tell(self, what: str, name: str, text: str, level: int = logging.WARNING) -> None:
        if (what, name) in self._told or len(self._told) > _MOST:
            return
        self._told.add((what, name))
        if len(self._told) > _MOST:
            text = "more is not known of what Batsim says: it is not told any more"
        _log.log(level, "Batsim: %s", printable(text))
