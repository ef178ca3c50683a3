"""What is said about inheritance: each thing once, and mildly where nothing uses what is wrong."""

from windtunnel.diagnostics import Severity
from windtunnel.formats.sites.environment.problems import Path, Problem
from windtunnel.formats.sites.environment.source import Source

__all__ = ["Complaints"]


class Complaints:
    """Notes problems in a list."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.unused = False
        """Whether the definitions that are being resolved are used by nothing."""
        self._said: set[tuple[str, Source, Path, str]] = set()

    def say(
        self,
        code: str,
        message: str,
        source: Source,
        path: Path,
        hint: str = "",
        *,
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Note a problem at a place in the text of ``source``, if that was not said before."""
        if code == "ENV046":
            severity = Severity.WARNING
        if self.unused and code != "ENV016":
            severity = min(severity, Severity.WARNING)
            hint = hint or "nothing uses this definition"
        key = (code, source, path, message)
        if key not in self._said:
            self._said.add(key)
            self.problems.append(Problem(code, message, path, hint, severity, source))
