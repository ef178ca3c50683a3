"""Members that are given twice in one object of a JSON file: the decoder keeps the last, and says nothing."""

from typing import Any, Final

from windtunnel.diagnostics import Findings, Severity
from windtunnel.diagnostics.json_positions import json_pointer
from windtunnel.diagnostics.json_repeated import repeated_members

__all__ = ["REPEATED", "tell_repeated"]

REPEATED: Final = "is given twice in one object: the last one counts"


def tell_repeated(
    data: bytes, document: Any, findings: Findings, *, besides: str | None = None, file: str | None = None
) -> None:
    """Warn of the members that are repeated, but for those of the object with the pointer ``besides``.

    Args:
        data: the text of the file.
        document: what it was decoded to.
        findings: where the warnings go.
        besides: who reads this object tells of its members.
        file: what the file is called, if it is not that of the findings.
    """
    for path, key, (line, column), _ in repeated_members(data, document):
        if besides is not None and json_pointer(path) == besides:
            continue
        at, message = json_pointer((*path, key)), f"the member {key!r} {REPEATED}"
        if file is None:
            findings.tally(message, code="repeated-member", line=line, pointer=at)
        else:
            code, severity = "repeated-member", Severity.WARNING
            findings.add(message, code=code, line=line, column=column, pointer=at, severity=severity, file=file)
