"""The base class of schedulers that run in process."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.options import Option
from windtunnel.vocabulary import HONOURED_BY_ALL, Ability, Decision, Features, Hello, Notice, Reply, View

__all__ = ["FunctionScheduler", "Scheduler"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Scheduler:
    """The base class of your own schedulers: subclass it and write :meth:`schedule`.

    It is called once for everything that happened at an instant, with a :class:`~windtunnel.vocabulary.View` that is
    up to date; the decisions it yields (or returns) are carried out in order. Schedulers that need the notices
    themselves override :meth:`decide` instead. Keep state in plain attributes, so that a run can be saved and forked.
    """

    name: ClassVar[str] = ""
    features: ClassVar[Features] = Features()
    code_options: ClassVar[frozenset[str]] = frozenset()
    """Options that may name code (``module:Class``): data, such as an environment, may only give plain names."""
    file_options: ClassVar[frozenset[str]] = frozenset()
    """Options that name files to write, which are not allowed in data."""
    python_only: ClassVar[frozenset[str]] = frozenset()
    """Parameters that are not options: they can only be given in Python."""
    honours: ClassVar[frozenset[Ability]] = HONOURED_BY_ALL
    """Which requests of workloads and sites it honours."""

    def __init__(self) -> None:
        self.view = View()

    @classmethod
    def settings(cls) -> Mapping[str, Option]:
        """Options that it takes besides its parameters (as ``**settings``) and checks itself, by name."""
        return {}

    def schedule(self, view: View) -> Iterable[Decision] | None:
        """The decisions for this instant; None if there are none."""
        del view  # nothing to decide on here
        raise TypeError(f"{type(self).__name__} must define schedule(self, view)")

    def hello(self) -> Hello:
        """How it introduces itself to the simulation."""
        self.view = View()
        return Hello(name=self.name or type(self).__name__, features=self.features, follow_others=True)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Update the view, call :meth:`schedule`, and answer at once."""
        view = self.view
        view.apply(now, notices)
        asked: Any = self.schedule  # users' code: whatever it returns is looked at here
        made = asked(view)
        try:
            decisions = [] if made is None else list(made)
        except TypeError:
            if hasattr(made, "__iter__"):
                raise
            what = f"{type(made).__name__} {made!r:.50}"
            raise TypeError(f"schedule yields its decisions, or returns a list of them, not one {what}") from None
        if decisions:
            view.decided(decisions)
        return Reply(now, decisions)

    def stop(self) -> None:
        """Nothing to do."""

    def __getstate__(self) -> dict[str, Any]:
        """All attributes: in the compiled build the instance's dictionary holds only some of them."""
        kind = type(self)
        names: list[str] = [*getattr(kind, "__mypyc_attrs__", ())]
        for one in kind.__mro__:
            slots = one.__dict__.get("__slots__", ())
            names += [slots] if isinstance(slots, str) else slots
        own = {name: getattr(self, name) for name in names if hasattr(self, name) and not name.startswith("__")}
        return own | getattr(self, "__dict__", {})

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


@mypyc_attr(allow_interpreted_subclasses=True)
class FunctionScheduler(Scheduler):
    """A plain function ``f(view) -> iterable of decisions`` as a scheduler; keyword options are bound to it."""

    def __init__(
        self, function: Callable[..., Iterable[Decision] | None], options: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        self.function = function
        self.options = dict(options or {})

    def hello(self) -> Hello:
        """Named after the function."""
        return replace(super().hello(), name=getattr(self.function, "__name__", "function"))

    def schedule(self, view: View) -> Iterable[Decision] | None:
        """Call the function."""
        return self.function(view, **self.options)
