"""Files that hold several series in one (zones, auctions): one of them is read."""

from windtunnel.diagnostics import Findings, did_you_mean

__all__ = ["OneOf", "tell_unread"]


class OneOf:
    """Chooses the rows of one series: the one asked for, or the only one there is."""

    def __init__(self, findings: Findings, what: str, wanted: str) -> None:
        self.findings = findings
        self.what = what
        """``zone`` or ``sequence``: the name of the option, too."""
        self.wanted = wanted
        self.found: dict[str, int] = {}
        """Names -> the line where each came first."""

    def takes(self, name: str, line: int) -> bool:
        """Whether a row of the series ``name`` is read."""
        name = name.strip()
        if name not in self.found:
            self.found[name] = line
        return name == (self.wanted or next(iter(self.found)))

    def absent(self, column: str) -> None:
        """There is no column that tells them apart: an option that chooses one would have no effect."""
        if self.wanted:
            message = f"has no column {column!r}, by which {self.what}={self.wanted} would choose"
            self.findings.add(message, code=self.what, line=1, hint=f"leave out {self.what}={self.wanted}")

    def close(self) -> None:
        """All rows are read: say so if it was not clear which to take, or if there are none."""
        names = list(self.found)
        if self.wanted and self.wanted not in self.found and names:
            hint = did_you_mean(self.wanted, names) or f"there are: {', '.join(names[:20])}"
            self.findings.add(f"has no {self.what} {self.wanted!r}", code=self.what, hint=hint)
        elif not self.wanted and len(names) > 1:
            self.findings.add(
                f"has several {self.what}s: {', '.join(names[:20])}",
                code=self.what,
                line=self.found[names[1]],
                hint=f"choose one: {self.what}={names[0]}",
            )


def tell_unread(findings: Findings, columns: list[str], read: set[str], what: str = "columns") -> None:
    """Columns (or members) from which nothing is taken."""
    from windtunnel.diagnostics import Severity

    others = [name or "(no name)" for name in columns if name not in read]
    if others:
        more = f" and {len(others) - 8} more" if len(others) > 8 else ""
        findings.add(
            f"{what} that are not read: {', '.join(others[:8])}{more}",
            code="not-read",
            severity=Severity.NOTE,
        )
