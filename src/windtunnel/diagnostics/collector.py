"""Where readers collect findings, to raise all of them at once."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

from msgspec.structs import replace

from windtunnel.diagnostics.errors import InputError
from windtunnel.diagnostics.findings import Finding, Severity

__all__ = ["Findings"]


class Findings:
    """A collector: readers add, and at the end :meth:`raise_if_errors` raises all at once.

    At most ``limit`` findings are kept (a broken million-line file must not fill the memory); how many more there
    were is said in a last note.
    """

    def __init__(self, file: str = "", *, limit: int = 200) -> None:
        self.file = file
        self.limit = limit
        self._kept: list[Finding] = []
        self._dropped = 0
        self._errors = 0
        self._tallied: dict[tuple[str, str], int] = {}
        """Where in what is kept the warnings are that were met several times."""

    def add(
        self,
        message: str,
        *,
        code: str = "",
        line: int = 0,
        column: int = 0,
        pointer: str = "",
        hint: str = "",
        severity: Severity = Severity.ERROR,
        chain: Sequence[str] = (),
        file: str | None = None,
        count: int = 1,
    ) -> None:
        finding = Finding(
            self.file if file is None else file,
            line,
            column,
            pointer,
            code,
            message,
            hint,
            severity,
            tuple(chain),
            count=count,
        )
        if severity is Severity.ERROR:
            self._errors += 1
        if len(self._kept) < self.limit:
            self._kept.append(finding)
        else:
            self._dropped += 1

    def warn(self, message: str, *, code: str = "", line: int = 0, pointer: str = "", hint: str = "") -> None:
        """Add a warning."""
        self.add(message, code=code, line=line, pointer=pointer, hint=hint, severity=Severity.WARNING)

    def tally(
        self,
        message: str,
        *,
        code: str,
        line: int = 0,
        pointer: str = "",
        hint: str = "",
        severity: Severity = Severity.WARNING,
    ) -> None:
        """Count a warning (or note) that may come again and again: only the place of the first is kept."""
        at = self._tallied.get((code, message))
        if at is not None:
            known = self._kept[at]
            self._kept[at] = replace(known, count=known.count + 1)
        elif len(self._kept) < self.limit:
            self._tallied[code, message] = len(self._kept)
            self.add(message, code=code, line=line, pointer=pointer, hint=hint, severity=severity)
        else:
            self._dropped += 1

    def extend(self, findings: Iterable[Finding]) -> None:
        """Take over findings made elsewhere."""
        for f in findings:
            self.add(
                f.message,
                code=f.code,
                line=f.line,
                column=f.column,
                pointer=f.pointer,
                hint=f.hint,
                severity=f.severity,
                chain=f.chain,
                file=f.file,
                count=f.count,
            )

    @property
    def has_errors(self) -> bool:
        """Whether an error was added."""
        return self._errors > 0

    def __len__(self) -> int:
        return len(self._kept) + self._dropped

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.sorted())

    def sorted(self) -> list[Finding]:
        """The findings by file and position, with a last note if some were left out."""
        found = sorted(self._kept, key=lambda f: (f.file, f.line, f.column))
        if self._dropped:
            message = f"{self._dropped} more findings are not shown"
            found.append(Finding(self.file, message=message, code="more", severity=Severity.NOTE))
        return found

    def raise_all(self) -> NoReturn:
        """Raise :class:`~windtunnel.diagnostics.InputError` with everything found."""
        raise InputError(self.sorted())

    def raise_if_errors(self) -> None:
        """Raise :class:`~windtunnel.diagnostics.InputError` if there is at least one error."""
        if self._errors:
            self.raise_all()
