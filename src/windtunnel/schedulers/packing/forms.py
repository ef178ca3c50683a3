"""Which of our schedulers have a form that packs, and how it is made: loaded when it is needed only."""

from typing import Any, Final, Protocol, runtime_checkable

from windtunnel.options import options_of
from windtunnel.vocabulary import PARTS, Ability, Component, honoured_by

__all__ = ["LetsOthersPack", "honours_of", "packing", "packs"]

_ROOM: Final = "windtunnel.schedulers."
_PACKING: Final = {
    "easy.Easy": "PackingEasy",
    "conservative.Conservative": "PackingConservative",
    "fcfs.Fcfs": "PackingFcfs",
    "filler.Filler": "PackingFiller",
    "energy_idle_sleeper.EnergyIdleSleeper": "PackingSleeper",
}
"""Module and class -> its form. Classes that inherit from them may decide otherwise: they have none."""


@runtime_checkable
class LetsOthersPack(Protocol):
    """A component that has others decide for it, which may pack."""

    def pack_by_amounts(self) -> None:
        """Let them pack by whatever amounts jobs name."""


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix(_ROOM)


def packs(kind: type) -> bool:
    """Whether there is a form of a scheduler that packs."""
    return _name(kind) in _PACKING


def honours_of(made: Any) -> frozenset[Ability]:
    """What a scheduler (or its class) honours, in its form that packs if there is one."""
    kind = made if isinstance(made, type) else type(made)
    return honoured_by(made) | (PARTS if packs(kind) else frozenset())


def packing(component: Component) -> Component:
    """The form of a scheduler that packs, with the same options; the scheduler itself if it has none.

    One that has others decide for it (:class:`LetsOthersPack`) is told to let these pack.
    """
    if isinstance(component, LetsOthersPack):
        component.pack_by_amounts()
        return component
    if not packs(type(component)):
        return component
    options = {name: getattr(component, name) for name in options_of(type(component))[0]}
    made: Component = _forms()[_PACKING[_name(type(component))]](**options)
    return made


def _forms() -> dict[str, Any]:
    from windtunnel.schedulers.packing.conservative import PackingConservative
    from windtunnel.schedulers.packing.easy import PackingEasy
    from windtunnel.schedulers.packing.in_order import PackingFcfs, PackingFiller
    from windtunnel.schedulers.packing.sleeper import PackingSleeper

    forms = (PackingEasy, PackingConservative, PackingFcfs, PackingFiller, PackingSleeper)
    return {form.__name__: form for form in forms}
