"""The mapping that is in all decisions that name nothing."""

from typing import Any, Final, NoReturn

__all__ = ["NOTHING"]


class _Nothing(dict[str, Any]):
    """What decisions have in common that name nothing: a dict for each costs as much as the decision."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a decision's mapping is not changed, but replaced by another one")

    __setitem__ = __ior__ = setdefault = update = _refuse


NOTHING: Final = _Nothing()
