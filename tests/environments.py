"""Small documents for the tests of environments."""

import json
from typing import Any

from windtunnel.diagnostics import Finding
from windtunnel.formats.sites.environment import Options, check

MACHINE = {"type": "MACHINE", "cpus": [{"clock-rate": 2e9, "cores": 1}]}


def document(*units: Any, events: Any = (), capacity: int | None = None, **more: Any) -> dict[str, Any]:
    """An environment with one rack."""
    rack: dict[str, Any] = {"type": "RACK", "units": list(units)}
    if capacity is not None:
        rack["capacity"] = capacity
    rooms = [{"type": "SERVER", "objects": [rack]}]
    doc = {"environment": {"datacenters": [{"id": 1, "rooms": rooms}]}, **more}
    if events:
        doc["events"] = list(events)
    return doc


def machine(number: Any = None, **more: Any) -> dict[str, Any]:
    made = {**MACHINE, **more}
    return made if number is None else {**made, "id": number}


def findings(doc: Any, **options: Any) -> tuple[Finding, ...]:
    data = doc if isinstance(doc, str | bytes) else json.dumps(doc)
    return check(data, "e.json", Options(**options)).findings


def codes(doc: Any, **options: Any) -> list[str]:
    """The codes of all findings, warnings in lower case, notes left out."""
    found = findings(doc, **options)
    return [f.code if f.severity.name == "ERROR" else f.code.lower() for f in found if f.severity.name != "NOTE"]


def resolved(doc: Any, **options: Any) -> Any:
    return check(json.dumps(doc), "e.json", Options(**options)).tree
