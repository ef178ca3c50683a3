"""What each wire does with each notice and decision: the vocabulary is total, so nothing is dropped without a word.

A wire here is whatever stands between the engine and a scheduler and puts the vocabulary into other terms: the view
of a site, the protocols, and the two components that show a scheduler another site than there is. Each entry says
that a notice or decision is *said* (how, and what of it is lost), *refused by name*, or *silent on purpose*, and why.

Wires look up here what they have no form for (:func:`unsaid`). A test builds every notice and decision, sends it over
every wire and compares with this table; docs/reference/vocabulary.md is made from it.
"""

from windtunnel.diagnostics import UsageError
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.coverage_terms import Coverage, Row, Told, Wire
from windtunnel.vocabulary.covered_decisions import DECISIONS
from windtunnel.vocabulary.covered_notices import NOTICES

__all__ = ["DECISIONS", "NOTICES", "Coverage", "Row", "Told", "Wire", "coverage_of", "unsaid"]


def coverage_of(kind: type[n.Notice] | type[d.Decision], wire: Wire) -> Coverage | None:
    """What a wire does with a kind of notice or decision; None if the table does not know it."""
    row = NOTICES.get(kind) if issubclass(kind, n.Notice) else DECISIONS.get(kind)
    return None if row is None else row[wire]


def unsaid(
    thing: n.Notice | d.Decision, wire: Wire, hint: str = "this needs another protocol, or a scheduler in process"
) -> None:
    """What a wire does with something that it has no form for: nothing, if it is silent on purpose.

    Raises:
        UsageError: it is not; the message names what cannot be said, and why.
    """
    found = coverage_of(type(thing), wire)
    if found is not None and found.told is Told.SILENT:
        return
    reason = f": {found.note}" if found is not None and found.note else ""
    raise UsageError(f"{wire.value} has no {type(thing).__name__}{reason}", hint)
