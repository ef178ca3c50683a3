"""What a component answers: made for each message and read by the engine at once, so that this class is compiled."""

from contextlib import suppress
from types import FunctionType
from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

__all__ = ["Reply", "new_reply"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Reply:  # noqa: PLW1641 -- it changes: it has no hash
    """The answer to one message: decisions in order, and when (simulated s) the component has finished deciding.

    The engine checks both, a number and a list of :class:`~windtunnel.vocabulary.Decision`: whatever is said is kept.
    """

    __slots__ = ("decisions", "now")
    __match_args__: ClassVar[tuple[str, ...]] = ("now", "decisions")

    def __init__(self, now: Any, decisions: Any) -> None:
        self.now = now
        self.decisions = decisions

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reply) or type(other) is not type(self):
            return NotImplemented
        return bool(self.now == other.now and self.decisions == other.decisions)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(now={self.now!r}, decisions={self.decisions!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        more: dict[str, Any] | None = None
        if type(self) is not Reply:  # a class derived from it may know more
            with suppress(TypeError):
                more = vars(self)
        return type(self), (self.now, self.decisions), more


_bare: Final = Reply.__new__


def new_reply(now: float, decisions: Any) -> Reply:
    """A reply: a hot path (in pure Python its initialiser costs twice as much)."""
    if _COMPILED:
        return Reply(now, decisions)
    new = _bare(Reply)
    new.now = now
    new.decisions = decisions
    return new


_COMPILED: Final = not isinstance(new_reply, FunctionType)
