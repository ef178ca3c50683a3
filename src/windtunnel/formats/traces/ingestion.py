"""What became of the rows of a trace: kept, dropped and why, repaired and how."""

from collections.abc import Mapping

import msgspec

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
    warnings: tuple[str, ...] = ()
    """What is odd about the file as a whole."""

    def __str__(self) -> str:
        lines = [f"{self.file}: {self.rows} rows read, {self.kept} kept"]
        sections: tuple[tuple[str, Mapping[str, int]], ...] = (
            ("dropped", self.dropped),
            ("repaired", self.repaired),
            ("noted", self.noted),
            ("status", self.statuses),
        )
        for title, counts in sections:
            lines += [f"  {title:<9}{count:>9}  {what}" for what, count in sorted(counts.items())]
        lines += [f"  warning: {text}" for text in self.warnings]
        return "\n".join(lines)
