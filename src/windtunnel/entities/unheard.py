"""What a file says and a reader does not hear: unknown names, and known ones that nothing comes of."""

from collections.abc import Iterable

import msgspec

from windtunnel.diagnostics import Findings, Severity, did_you_mean
from windtunnel.diagnostics.json_positions import json_pointer

__all__ = ["Names", "names"]


class Names(msgspec.Struct, frozen=True):
    """The names (members, attributes, columns, keys) that may stand in one kind of place, which ``what`` calls."""

    what: str
    heard: frozenset[str]
    ignored: frozenset[str] = frozenset()
    """They ask for something that is not simulated."""
    noted: frozenset[str] = frozenset()
    """They describe, or tell how it was: nothing is lost by leaving them out."""
    handed_on: bool = False
    """Schedulers are told of unknown ones as they are."""

    def tell(self, met: Iterable[str], findings: Findings, *, line: int = 0, pointer: str | None = None) -> None:
        """Note what is not heard of the names that were met in a place; each name is counted over all places.

        ``pointer``: that of a JSON object, None in other files.
        """
        for name in met:
            if name in self.heard:
                continue
            at = "" if pointer is None else pointer + json_pointer((name,))
            if name in self.noted:
                message = f"{name!r} of {self.what} is descriptive: it has no effect"
                findings.tally(message, code="history", line=line, pointer=at, severity=Severity.NOTE)
            elif name in self.ignored:
                findings.tally(f"{name!r} of {self.what} is not simulated", code="ignored", line=line, pointer=at)
            else:
                hint = did_you_mean(name, self.heard)
                harmless = self.handed_on and not hint.startswith("did you mean")
                severity = Severity.NOTE if harmless else Severity.WARNING
                becomes = "it is passed on to schedulers unchanged" if self.handed_on else "it has no effect"
                message = f"{self.what} has {name!r}, which is not known: {becomes}"
                findings.tally(message, code="unknown-member", line=line, pointer=at, hint=hint, severity=severity)


def names(what: str, heard: str, *, ignored: str = "", noted: str = "", handed_on: bool = False) -> Names:
    """Names that are written with blanks between them."""
    return Names(what, frozenset(heard.split()), frozenset(ignored.split()), frozenset(noted.split()), handed_on)
