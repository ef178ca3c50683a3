"""The JSON of a Batsim workload file: its members, and where it is at fault."""

from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.entities.unheard import names
from windtunnel.formats.files import json_fault

__all__ = ["WorkloadDocument"]

_MEMBERS: Final = names(
    "the workload", "nb_res jobs profiles", noted="author command comment comments date description name version"
)


class WorkloadDocument:
    """The members of the file's object that matter, decoded."""

    def __init__(self, data: bytes, findings: Findings) -> None:
        self._data = data
        self.valid = False
        self.repeated: list[str] = []
        """Names of profiles that stand there twice."""
        self.members: dict[str, Any] = {}
        self.read: dict[str, Any] = {}
        """The same, and the other members as they are written."""
        try:
            raw = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
            _MEMBERS.tell(raw, findings, pointer="")
            for key in ("nb_res", "jobs", "profiles"):
                if key in raw:
                    self.members[key] = msgspec.json.decode(raw[key])
            self.read = raw | self.members
            self.valid = True
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            self._explain(error, findings)
            return
        if isinstance(self.members.get("profiles"), dict):
            self.repeated = _repeated_keys(raw["profiles"])

    def _explain(self, error: Exception, findings: Findings) -> None:
        """Decode the whole for the place of the fault: members were decoded one by one."""
        try:
            if not isinstance(msgspec.json.decode(self._data), dict):
                findings.add("not a JSON object", code="json", line=1, column=1)
                return
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as whole:
            error = whole
        message, line, column = json_fault(error, self._data)
        findings.add(message, code="json", line=line, column=column)

    def whole(self) -> Any:
        """The whole document, for positions; what is read of it where the rest is not text."""
        try:
            return msgspec.json.decode(self._data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return self.members


def _repeated_keys(raw: msgspec.Raw) -> list[str]:
    """The keys that an object holds more than once, itself, not in what is within."""
    import json

    outermost: list[tuple[str, Any]] = []

    def collect(pairs: list[tuple[str, Any]]) -> None:
        outermost[:] = pairs

    json.JSONDecoder(object_pairs_hook=collect).decode(bytes(raw).decode())
    names = [key for key, _ in outermost]
    if len(set(names)) == len(names):
        return []
    return sorted({key for key in names if names.count(key) > 1})
