"""What became of the rows of a trace: kept, dropped and why, repaired and how."""

from collections.abc import Mapping

import msgspec

from windtunnel.diagnostics import Finding, Severity

__all__ = ["IngestionReport"]


class IngestionReport(msgspec.Struct, kw_only=True):
    """The account of one trace: ``rows = kept + the sum of dropped``. Printable."""

    file: str
    rows: int = 0
    """Data rows met, comments and blank lines apart."""
    kept: int = 0
    dropped: dict[str, int] = {}
    """Reason -> rows that are not simulated."""
    repaired: dict[str, int] = {}
    """Rule -> rows that are simulated with a value that the rule put in."""
    noted: dict[str, int] = {}
    """Fact -> rows; nothing was done about them."""
    statuses: dict[str, int] = {}
    """Status of the trace -> rows."""
    ignored: dict[str, int] = {}
    """What is asked for -> rows in which it is; it has no effect."""
    history: dict[str, int] = {}
    """What tells how it was -> rows in which it is; it is not simulated."""
    first: dict[str, int] = {}
    """The line of the first row that was dropped, repaired, or has what is ignored, by reason, rule or fact."""
    warnings: tuple[str, ...] = ()
    """What is odd about the file as a whole."""
    shifted: float = 0.0
    """So many seconds earlier than written are jobs submitted, so that the first comes at 0."""

    def findings(self) -> tuple[Finding, ...]:
        """What is not simulated as it stands, with counts, for the account of a run."""
        counted: tuple[tuple[str, Mapping[str, int]], ...] = (
            ("dropped", self.dropped),
            ("repaired", self.repaired),
            ("ignored", self.ignored),
        )
        found = [
            Finding(
                self.file,
                line=self.first.get(what, 0),
                code=code,
                message=f"{what} is not simulated" if code == "ignored" else what,
                severity=Severity.WARNING,
                count=count,
            )
            for code, counts in counted
            for what, count in sorted(counts.items())
            if count
        ]
        if self.history:
            fields = ", ".join(sorted(self.history))
            message = f"recorded history is not simulated: {fields}"
            count = sum(self.history.values())
            found.append(Finding(self.file, code="history", message=message, severity=Severity.NOTE, count=count))
        found += [Finding(self.file, code="odd", message=text, severity=Severity.WARNING) for text in self.warnings]
        return tuple(found)

    @property
    def overview(self) -> str:
        """How many rows were read and kept, and of what kinds they are; without what :meth:`findings` tells."""
        return "\n".join(self._lines({"noted": self.noted, "status": self.statuses}))

    def _lines(self, sections: Mapping[str, Mapping[str, int]]) -> list[str]:
        lines = [f"{self.file}: {self.rows} rows read, {self.kept} kept"]
        for title, counts in sections.items():
            lines += [f"  {title:<9}{count:>9}  {what}" for what, count in sorted(counts.items())]
        return lines

    def __str__(self) -> str:
        lines = self._lines(
            {
                "dropped": self.dropped,
                "repaired": self.repaired,
                "ignored": self.ignored,
                "history": self.history,
                "noted": self.noted,
                "status": self.statuses,
            }
        )
        lines += [f"  warning: {text}" for text in self.warnings]
        return "\n".join(lines)
