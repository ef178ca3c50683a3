"""Policies of the literature by their names: each is one line over :class:`PriorityBackfilling`.

The formulas and their sources stand in :mod:`windtunnel.schedulers.literature.priorities`. Each order is used for the
first of the queue and for those that overtake it, with the reservation of EASY, unless ``backfill`` says otherwise.
"""

from typing import Annotated

from msgspec import Meta

from windtunnel.schedulers.literature.predictions import Correction, Prediction
from windtunnel.schedulers.literature.priority import Backfill, PriorityBackfilling

__all__ = [
    "F1",
    "F2",
    "F3",
    "F4",
    "LAF",
    "LJF",
    "LXF",
    "SAF",
    "SJF",
    "WFP3",
    "EasyPlusPlus",
    "EasySJBF",
    "RelaxedEasy",
    "Unicep",
]


class SJF(PriorityBackfilling):
    """Shortest job first: least r, the requested time."""

    name = "literature/sjf"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="sjf", backfill=backfill)


class LJF(PriorityBackfilling):
    """Longest job first: most r, the requested time; ties: the larger, then by arrival."""

    name = "literature/ljf"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="ljf", backfill=backfill)


class SAF(PriorityBackfilling):
    """Smallest area first: least n r, the processors times the requested time."""

    name = "literature/saf"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="saf", backfill=backfill)


class LAF(PriorityBackfilling):
    """Largest area first: most n r, the processors times the requested time."""

    name = "literature/laf"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="laf", backfill=backfill)


class LXF(PriorityBackfilling):
    """Largest expansion factor first: most (w + r) / r, with w the time waited so far."""

    name = "literature/lxf"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="lxf", backfill=backfill)


class WFP3(PriorityBackfilling):
    """Most (w / r)^3 n first (Tang, Lan, Desai & Buettner, CLUSTER 2009)."""

    name = "literature/wfp3"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="wfp3", backfill=backfill)


class Unicep(PriorityBackfilling):
    """Most w / (log2(n) r) first (Tang, Lan, Desai & Buettner, CLUSTER 2009); log2 of one processor counts as 1."""

    name = "literature/unicep"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="unicep", backfill=backfill)


class F1(PriorityBackfilling):
    """Least log10(r) n + 870 log10(s) first, s the submission (Carastan-Santos & de Camargo, SC 2017)."""

    name = "literature/f1"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="f1", backfill=backfill)


class F2(PriorityBackfilling):
    """Least sqrt(r) n + 25600 log10(s) first, s the submission (Carastan-Santos & de Camargo, SC 2017)."""

    name = "literature/f2"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="f2", backfill=backfill)


class F3(PriorityBackfilling):
    """Least r n + 6860000 log10(s) first, s the submission (Carastan-Santos & de Camargo, SC 2017)."""

    name = "literature/f3"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="f3", backfill=backfill)


class F4(PriorityBackfilling):
    """Least r sqrt(n) + 530000 log10(s) first, s the submission (Carastan-Santos & de Camargo, SC 2017)."""

    name = "literature/f4"

    def __init__(self, *, backfill: Backfill = "easy") -> None:
        super().__init__(order="f4", backfill=backfill)


class EasySJBF(PriorityBackfilling):
    """EASY in which the shortest jobs overtake first."""

    name = "literature/easy-sjbf"

    def __init__(self, *, prediction: Prediction = "requested", correction: Correction = "steps") -> None:
        super().__init__(backfill_order="sjf", prediction=prediction, correction=correction)


class EasyPlusPlus(PriorityBackfilling):
    """EASY++: a job is expected to run as long as the mean of its user's last two, corrected in steps when it runs
    longer; the shortest jobs overtake first (Tsafrir, Etsion & Feitelson, TPDS 2007).
    """

    name = "literature/easy++"

    def __init__(self, *, prediction: Prediction = "last-two", correction: Correction = "steps") -> None:
        super().__init__(backfill_order="sjf", prediction=prediction, correction=correction)


class RelaxedEasy(PriorityBackfilling):
    """EASY in which the first job may be delayed by ``relaxation`` times what it will have waited (after Ward, Mahood
    & West, JSSPP 2002; that the wait is measured from the submission is our reading).
    """

    name = "literature/easy-relaxed"

    def __init__(self, *, relaxation: Annotated[float, Meta(ge=0)] = 0.1) -> None:
        super().__init__(relaxation=relaxation)
