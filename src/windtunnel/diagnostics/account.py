"""The account of a run: what was read or asked for and did not take effect, or not as it was written (law 9).

Whatever an input says, or a peer sends, takes effect, is refused by name, or stands here: one line for each kind of
thing, with how often it was met, where first, and why nothing came of it. Readers deliver findings with their model,
workloads and sites say what they ask of a scheduler, schedulers what they honour; wires tell what they could not use
of a message while the run goes on. One account holds all of it, in the order in which it was told.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from windtunnel.diagnostics.errors import InputError
from windtunnel.diagnostics.findings import Finding, Severity

__all__ = ["Account", "AccountLine", "AccountWarning"]


class AccountWarning(UserWarning):
    """Something that was read or asked for did not take effect; ``run.account`` says what."""


class AccountLine(msgspec.Struct, frozen=True):
    """One kind of thing that did not take effect as written."""

    kind: str
    """A short stable name: ``dropped``, ``repaired``, ``unknown-member``, ``not-honoured``, ``ENV040``..."""
    count: int
    """How often it was met."""
    place: str
    """Where it was met first: ``file:line:column``, ``file#pointer``, or the id of a job; empty when unknown."""
    reason: str
    """What it is and why it has no effect, in a sentence."""
    hint: str = ""
    """What may be done about it."""
    note: bool = False
    """Whether nothing was lost: it only says how something was understood, and ``--strict-input`` lets it pass."""

    def __str__(self) -> str:
        often = f"{self.count:,} times" if self.count > 1 else "once"
        first = f", {'first ' if self.count > 1 else ''}at {self.place}" if self.place else ""
        text = f"{self.kind} ({often}{first}): {self.reason}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


ALIKE: Final = 5
"""Findings of one code with more messages than these make one line."""


class Account:
    """What did not take effect, as a table: iterate over its :class:`AccountLine`, or print it."""

    def __init__(self, lines: Iterable[AccountLine] = ()) -> None:
        self._lines: dict[tuple[str, str], AccountLine] = {}
        self.add(lines)

    def tell(
        self, kind: str, reason: str, *, count: int = 1, place: str = "", hint: str = "", note: bool = False
    ) -> None:
        """Tell of something; what was told before with the same kind and reason is counted on."""
        if count < 1:
            return
        known = self._lines.get((kind, reason))
        if known is not None:
            count, place, hint = known.count + count, known.place or place, known.hint or hint
            note = note and known.note
        self._lines[kind, reason] = AccountLine(kind, count, place, reason, hint, note)

    def add(self, lines: Iterable[AccountLine]) -> None:
        """Take over lines."""
        for line in lines:
            self.tell(line.kind, line.reason, count=line.count, place=line.place, hint=line.hint, note=line.note)

    def take(self, findings: Iterable[Finding]) -> None:
        """Take over what a reader found odd: one line for each code and message, or for a code of many messages."""
        by_code: dict[str, list[Finding]] = {}
        for finding in findings:
            by_code.setdefault(finding.code or finding.severity.name.lower(), []).append(finding)
        for code, alike in by_code.items():
            messages = {finding.message for finding in alike}
            for finding in alike:
                chosen = finding
                reason = finding.message
                if len(messages) > ALIKE:
                    chosen = alike[0]
                    reason = f"{chosen.message} (and {len(messages) - 1:,} others of this kind)"
                self.tell(
                    code,
                    reason,
                    count=finding.count,
                    place=chosen.place,
                    hint=chosen.hint,
                    note=finding.severity is Severity.NOTE,
                )

    @property
    def lines(self) -> list[AccountLine]:
        """All lines, in the order in which they were first told."""
        return [*self._lines.values()]

    def since(self, earlier: Iterable[AccountLine]) -> list[AccountLine]:
        """The lines that are new, or count more, than in an earlier state."""
        before = set(earlier)
        return [line for line in self if line not in before]

    def refuse(self) -> None:
        """Raise what was told, notes apart, as errors (``--strict-input``).

        Raises:
            InputError: something was told.
        """
        found = [
            Finding(line.place or "the run", code=line.kind, message=line.reason, hint=line.hint, count=line.count)
            for line in self
            if not line.note
        ]
        if found:
            raise InputError(found)

    def __iter__(self) -> Iterator[AccountLine]:
        return iter(self._lines.values())

    def __len__(self) -> int:
        return len(self._lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Account) and self.lines == other.lines

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Account of {len(self)} lines>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from windtunnel.diagnostics.html_tables import html_table

        if not self._lines:
            return "<p>Everything that was read and asked for took effect as written.</p>"
        rows = [(line.kind, f"{line.count:,}", line.place, line.reason, line.hint) for line in self]
        return html_table(rows, ("kind", "times", "first at", "what", "hint"))
