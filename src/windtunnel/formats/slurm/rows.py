"""Rows of ``sacct -P``: fields between ``|``, which Slurm does not escape, nor line breaks.

Texts of users (SubmitLine, Comment...) may hold both. A row is put together from lines until as many fields are there
as the head has, or more; those too many are taken for parts of texts of users, such that all other columns
look as they must.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from windtunnel.diagnostics import Findings

__all__ = ["rows"]

_DATE: Final = r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?|\d+|Unknown|None|N/A|)"
_SPAN: Final = r"([\d:.-]+|UNLIMITED|Partition_Limit|INVALID|)"
_NUMBER: Final = r"-?[\d.]*[KMGTP]?"
_JOB: Final = r"\d+(_(\d+|\[.*\]))?(\+\d+)?(\.\w+)?"
_LOOKS: Final = {
    name: re.compile(pattern, re.ASCII)
    for names, pattern in (
        ("JobID JobIDRaw", _JOB),
        ("Submit Eligible Start End", _DATE),
        ("Elapsed Timelimit Suspended CPUTime TotalCPU SystemCPU UserCPU MinCPU AveCPU", _SPAN),
        ("TimelimitRaw", r"\d*|UNLIMITED|Partition_Limit|INVALID"),
        ("ElapsedRaw CPUTimeRAW ConsumedEnergy ConsumedEnergyRaw ResvCPURAW QOSRAW", _NUMBER),
        ("NNodes NCPUS NTasks ReqCPUS AllocCPUS ReqNodes AllocNodes", _NUMBER),
        ("Priority UID GID AssocID DBIndex ReservationId WCKeyID", _NUMBER),
        ("ReqMem", r"[\d.]*[KMGTP]?[nc]?"),
        ("ExitCode DerivedExitCode", r"(\d+:\d+|)"),
        ("State", r"[A-Z_]+\+?( by \S+)?"),
        ("AllocTRES ReqTRES", r"([\w/:-]+=[\w.-]+,?)*"),
    )
    for name in names.split()
}
_FREE: Final = frozenset(
    {
        "AdminComment",
        "Comment",
        "Constraints",
        "Container",
        "Extra",
        "JobName",
        "Reservation",
        "SubmitLine",
        "SystemComment",
        "WCKey",
        "WorkDir",
    }
)
"""Columns that hold what users or administrators wrote."""

_SUBMITTED: Final = re.compile(r"((\S*/)?(sbatch|srun|salloc)(\s.*)?|)", re.DOTALL)
"""How a SubmitLine begins as a rule: where constraints such as ``a|b`` stand before it, nothing else tells."""
_AS_PRINTED: Final = "spreadsheets change fields: give the file as sacct -P has printed it"
_MOST_LINES: Final = 500
"""The longest row (lines)."""


def rows(text: str, findings: Findings) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows as field by name, with the line each starts on; what cannot be understood is noted."""
    lines = text.split("\n")
    head = lines[0].rstrip("\r").split("|")
    ended = not head[-1]
    if ended:
        head.pop()  # sacct -p ends each row with a separator
    for name in sorted({name for name in head if head.count(name) > 1}):
        message = f"several columns are called {name!r}: the last one counts"
        findings.tally(message, code="repeated-member", line=1)
    table = _Table(head, ended=ended)
    at = 1
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        row, size = table.row(lines, at)
        if row is None:
            message, hint = table.fault(lines[at])
            findings.add(message, code="fields", line=at + 1, hint=hint)
        else:
            yield at + 1, row
        at += size


class _Table:
    def __init__(self, head: Sequence[str], *, ended: bool) -> None:
        self._head = head
        self._ended = ended
        """Whether each row ends with a separator."""
        self._checks = {place: _LOOKS[name] for place, name in enumerate(head) if name in _LOOKS}
        self._free = {place for place, name in enumerate(head) if name in _FREE}
        before = min(self._free, default=0)
        telling = [self._checks.get(place) for place in range(before)]
        self._telling = telling if any(telling) else []
        """The checks of the columns before the first text of a user, when there is one."""

    def row(self, lines: Sequence[str], at: int) -> tuple[dict[str, str] | None, int]:
        """The row that starts at a line, and how many lines it takes (1 when it cannot be understood).

        Where the head allows to tell, a line that cannot begin a row belongs to the row before. Otherwise a row is
        complete as soon as it fits.
        """
        text = lines[at].rstrip("\r")
        best: list[str] | None = None
        best_size = 1
        for size in range(1, _MOST_LINES):
            fields = text.split("|")
            if len(fields) == len(self._head) + 1 and not fields[-1] and not self._lacks_submit_line(fields):
                fields.pop()
            if len(fields) >= len(self._head) and (found := self._fit(fields)) is not None:
                best, best_size = found, size
            following = at + size
            if not self._free or following >= len(lines):
                break
            if self._begins(lines[following]) if self._telling else best is not None:
                break
            text += "\n" + lines[following].rstrip("\r")
        if best is None:
            return None, best_size
        best[-1] = best[-1].rstrip("\n")  # empty lines behind a row, as at the end of the file, are none of its text
        return dict(zip(self._head, best, strict=True)), best_size

    def _lacks_submit_line(self, fields: list[str]) -> bool:
        """Whether an empty last field is an empty submit line, rather than the end of a row."""
        return not self._ended and self._head[-1] == "SubmitLine" and _SUBMITTED.fullmatch(fields[-2]) is None

    def fault(self, line: str) -> tuple[str, str]:
        """What is wrong with a line that begins no row, and a hint."""
        fields = line.rstrip("\r").split("|")
        sure = len(fields) if len(fields) == len(self._head) else min(self._free, default=0)
        for place, check in self._checks.items():
            if place < min(sure, len(fields)) and not check.fullmatch(fields[place]):
                return f"{self._head[place]} is {fields[place]!r:.60}, which is not how sacct prints it", _AS_PRINTED
        message = f"{len(fields)} fields, which do not fit the {len(self._head)} columns of the header"
        return message, _AS_PRINTED if '"' in line else "export without SubmitLine and Comment, or with sacct --json"

    def _begins(self, line: str) -> bool:
        """Whether a line may be the first of a row, by its fields before the first text of a user.

        One of as many fields as the head has is a row, if a damaged one, where half of those are what they must be.
        """
        fields = line.split("|", len(self._telling))
        pairs = zip(fields, self._telling, strict=False)
        fit = [check.fullmatch(field) is not None for field, check in pairs if check is not None]
        return all(fit) or (2 * sum(fit) >= len(fit) and line.count("|") + 1 >= len(self._head))

    def _fit(self, fields: list[str]) -> list[str] | None:
        """The fields as those of the head, with the surplus in texts of users; None when nothing fits.

        Texts that begin or end with a separator only if no others fit: fields beside a text are often empty. So do
        submit lines that begin with another command.
        """
        if len(fields) == len(self._head):
            return fields if all(check.fullmatch(fields[place]) for place, check in self._checks.items()) else None
        for usual in (True, False):
            for edges in (False, True):
                found = self._with_surplus(fields, edges=edges, usual=usual)
                if found is not None:
                    return found
        return None

    def _with_surplus(self, fields: list[str], *, edges: bool, usual: bool) -> list[str] | None:
        """The same for more fields than the head has; ``edges``: separators may be at the edges of texts.

        With ``usual`` a submit line begins with a command of Slurm.

        Column by column: with how many of the surplus fields taken up can one be there, and how did one come there?
        """
        surplus = len(fields) - len(self._head)
        ways: list[dict[int, int]] = []
        taken: dict[int, int] = {0: 0}
        for place in range(len(self._head)):
            check, free = self._checks.get(place), place in self._free
            begins = _SUBMITTED if usual and self._head[place] == "SubmitLine" else None
            following: dict[int, int] = {}
            for before in taken:
                if begins is not None and begins.fullmatch(fields[place + before]) is None:
                    continue
                if check is None or check.fullmatch(fields[place + before]):
                    following.setdefault(before, before)
                if free and (edges or fields[place + before]):
                    for after in range(before + 1, surplus + 1):
                        if edges or fields[place + after]:
                            following.setdefault(after, before)
            ways.append(following)
            taken = following
        if surplus not in taken:
            return None
        found = []
        after = surplus
        for place in reversed(range(len(self._head))):
            before = ways[place][after]
            found.append("|".join(fields[place + before : place + after + 1]))
            after = before
        return found[::-1]
