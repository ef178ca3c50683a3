"""Which schedulers exist, and how one is made from a name, a ``module:Class``, a function, or an object.

Those included are listed by the package and imported on demand. Other packages may add theirs in the entry point
group ``windtunnel.schedulers`` (name -> class or function).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean, nearest_names, place_of
from windtunnel.listings import LISTED, Listed
from windtunnel.loading import entry_points, load, load_entry, load_reference
from windtunnel.options import Option, checked_options, options_of
from windtunnel.schedulers.base import FunctionScheduler, Scheduler
from windtunnel.schedulers.packing.forms import honours_of
from windtunnel.sources import as_written
from windtunnel.vocabulary import HONOURED_BY_ALL, Ability, Component, Named, honoured_by

__all__ = [
    "ALIASES",
    "GROUP",
    "SchedulerInfo",
    "check_data_options",
    "describe_scheduler",
    "list_schedulers",
    "make_batsched",
    "make_registered",
    "make_scheduler",
    "name_of",
    "scheduler_names",
    "scheduler_options",
    "source_of",
    "variants_of",
]

GROUP: Final = "windtunnel.schedulers"
"""The entry point group of schedulers."""

_SHIPPED: Final = LISTED[GROUP]

ALIASES: Final = {alias: name for name, entry in _SHIPPED.items() for alias in entry.aliases}
"""Names that schedulers had before they were named by origin -> their current ones; accepted through 0.2."""


class SchedulerInfo(msgspec.Struct, frozen=True):
    """A named scheduler: what it does in one line, where it comes from, its options, and what it honours.

    ``aliases`` are its former names, which are accepted through 0.2.
    """

    name: str
    description: str
    source: str
    options: tuple[Option, ...]
    honours: frozenset[Ability] = HONOURED_BY_ALL
    aliases: tuple[str, ...] = ()


def list_schedulers() -> list[SchedulerInfo]:
    """All named schedulers: ours, those of other systems by origin, then those of other packages; each by name."""
    shipped = [
        SchedulerInfo(
            name,
            entry.description,
            entry.source,
            tuple(_options(made).values()),
            honours_of(made),
            entry.aliases,
        )
        for name, entry in sorted(_SHIPPED.items(), key=lambda item: ("/" in item[0], item[0]))
        if (made := _shipped(entry))
    ]
    return shipped + [_listed(point) for point in entry_points(GROUP)]


def _listed(point: Any) -> SchedulerInfo:
    """What is to be said of another package's scheduler; a broken package leaves the others usable."""
    try:
        found = load_entry(point, "scheduler")
    except UsageError as error:
        return SchedulerInfo(point.name, str(error), point.value, ())
    options = tuple(_options(found).values())
    return SchedulerInfo(point.name, _first_line(found), point.value, options, honoured_by(found))


def describe_scheduler(name: str) -> SchedulerInfo:
    """The description of one scheduler: a registered name, an alias, ``module:Class`` or ``file.py:Class``.

    Raises:
        UsageError: there is no such scheduler.
    """
    for info in list_schedulers():
        if name == info.name or name in info.aliases:
            return info
    made = _factory(name)
    return SchedulerInfo(name, _first_line(made), name, tuple(_options(made).values()), honours_of(made))


def scheduler_names() -> list[str]:
    """The names that :func:`make_scheduler` knows, without importing them."""
    return sorted({*_SHIPPED, *(point.name for point in entry_points(GROUP))})


def scheduler_options(name: str) -> tuple[Option, ...]:
    """The options of a scheduler.

    Raises:
        UsageError: there is no such scheduler.
    """
    return tuple(_options(_factory(name)).values())


def source_of(name: str) -> Any:
    """What a name stands for, a class or a function; None if it is one of ours.

    Raises:
        UsageError: there is no such scheduler.
    """
    return None if ALIASES.get(name, name) in _SHIPPED else _factory(name)


def make_scheduler(scheduler: str | Callable[..., Any] | Component, /, **options: Any) -> Component:
    """A scheduler from its name, from ``module:Class``, ``module:function`` or ``file.py:Class``, or from an object.

    Schedulers of other systems are named by origin (``batsched/easy_bf``, ``batsim5/easy``, ``pybatsim/schedFcfs``);
    their former names (``easy-batsched``, ``easy_bf``) are accepted through 0.2.

    A class is instantiated with the options, which are checked against the keyword parameters of its ``__init__``; a
    plain function ``f(view, **options)`` becomes a scheduler that calls it once per round; a component is returned
    as is.

    Raises:
        UsageError: there is no such scheduler, it is not a scheduler, or an option is unknown, missing or invalid.
    """
    if isinstance(scheduler, str):
        return _made(scheduler, _factory(_present(scheduler)), options)
    if not isinstance(scheduler, type) and isinstance(scheduler, Component):
        if options:
            raise UsageError(
                f"scheduler {name_of(scheduler)!r} is an instance: it takes no options ({', '.join(options)})",
                "give its class, or set the options when you create it",
            )
        return scheduler
    return _made(name_of(scheduler), scheduler, options)


def make_registered(name: str, /, **options: Any) -> Component:
    """A scheduler named in data, for instance in an environment: by a registered name, and nothing else.

    Options that could load code take plain names only, and options that name files to write are refused: code and
    output paths come from a command line, from Python or from an installed package.

    Raises:
        UsageError: there is no registered scheduler of that name, or an option is invalid or not allowed in data.
    """
    if name not in _SHIPPED and name not in ALIASES and name not in scheduler_names():
        shown = f"{name!r:.80}"
        raise UsageError(
            f"{shown} is not the name of a registered scheduler, and input files may name no other",
            f"{nearest_names(str(name), scheduler_names())} Your own code is named on the command line (-s)".strip(),
        )
    check_data_options(name, options)
    return _made(name, _factory(_present(name)), options)


def check_data_options(name: str, options: Mapping[str, Any]) -> None:
    """Check that scheduler options from data, or from a peer, name neither code nor files to write.

    Raises:
        UsageError: one of them does.
    """
    factory = _factory(name)
    ours = isinstance(factory, type) and issubclass(factory, Scheduler)
    of_code, of_files = (factory.code_options, factory.file_options) if ours else ((), ())
    for option, value in options.items():
        spelled = option.replace("-", "_")
        if spelled in of_files:
            raise UsageError(
                f"scheduler {name!r}: input files may not say where files are written (option {option!r})"
            )
        plain = isinstance(value, str) and not {":", "/", "."} & set(value)
        if spelled in of_code and not plain:
            raise UsageError(
                f"scheduler {name!r}: the option {option!r} cannot be {value!r:.80}: input files may not name code",
                "code of your own is named on the command line (-s and -o)",
            )


def make_batsched(variant: str, /, **options: Any) -> Component:
    """The scheduler that decides like this variant of batsched (``-v``), for instance ``easy_bf`` or ``filler``.

    Raises:
        UsageError: batsched has no such variant, it is not available here, or an option is invalid.
    """
    known = variants_of("batsched")
    if variant not in known:
        raise UsageError(f"there is no variant {variant!r} of batsched here", did_you_mean(variant, known))
    return make_scheduler(known[variant], **options)


def variants_of(origin: str) -> dict[str, str]:
    """The schedulers of another system (``batsched``, ``batsim5``, ``pybatsim``): its name of each -> ours."""
    return {
        rest: name for name in _SHIPPED for family, _, rest in (name.partition("/"),) if rest and family == origin
    }


def _present(name: str) -> str:
    """The present name of a scheduler; an old one is told to be so."""
    now = ALIASES.get(name)
    if now is None:
        return name
    import logging  # rarely needed, and slow to load

    log = logging.getLogger("windtunnel.schedulers")
    log.warning("the scheduler %r is now called %r; its old name is accepted through 0.2", name, now)
    return now


def name_of(thing: object) -> str:
    """What to call a component, or the class or function that makes one."""
    if isinstance(thing, Named) and thing.name:
        return str(thing.name)
    return str(getattr(thing, "__name__", "") or type(thing).__name__)


def _first_line(factory: object) -> str:
    written = as_written(factory) if isinstance(factory, type) else factory
    return (getattr(written, "__doc__", None) or "").strip().partition("\n")[0]


def _made(name: str, factory: Any, options: Mapping[str, Any]) -> Component:
    if isinstance(factory, type):
        checked = checked_options(f"scheduler {name!r}", factory, options)
        texts = [given for given, value in options.items() if isinstance(value, str)]
        if hidden := [repr(given) for given in texts if _is_hidden(factory, given)]:
            raise UsageError(f"scheduler {name!r}: no option {', '.join(hidden)}")
        try:
            made = factory(**checked)
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            raise UsageError(
                f"scheduler {name!r} cannot be made: {type(error).__name__}: {error}{place_of(error)}"
            ) from error
        if not isinstance(made, Component):
            raise UsageError(
                f"{name!r} is not a scheduler: {factory.__name__} has no hello, decide and stop",
                "subclass windtunnel.Scheduler and write schedule(self, view)",
            )
        if type(made).decide is Scheduler.decide and type(made).schedule is Scheduler.schedule:  # type: ignore[attr-defined]  # it has schedule when its decide is ours
            raise UsageError(f"scheduler {name!r}: {factory.__name__} must define schedule(self, view)")
        return made
    if isinstance(factory, Component):
        return make_scheduler(factory, **options)
    if callable(factory):
        checked = checked_options(f"scheduler {name!r}", options_of(factory, skip=1), options)
        return FunctionScheduler(factory, checked)
    raise UsageError(f"{name!r} is not a scheduler: a {type(factory).__name__} is not a class, function or component")


def _options(factory: Any) -> dict[str, Option]:
    if isinstance(factory, type):
        own = {name: option for name, option in options_of(factory)[0].items() if not _is_hidden(factory, name)}
        return own | dict(factory.settings() if issubclass(factory, Scheduler) else {})
    return options_of(factory, skip=1)[0] if callable(factory) else {}


def _is_hidden(factory: type, parameter: str) -> bool:
    """Whether a parameter is for who makes a scheduler in Python: texts cannot say it."""
    return issubclass(factory, Scheduler) and parameter in factory.python_only


def _factory(name: str) -> Any:
    shipped = _SHIPPED.get(ALIASES.get(name, name))
    if shipped is not None:
        return _shipped(shipped)
    if ":" in name:
        return load(name, "scheduler")
    for point in entry_points(GROUP):
        if point.name == name:
            return load_entry(point, "scheduler")
    if name.endswith(".py"):
        raise UsageError(f"{name!r} is a file", f"name what is in it: {name}:NAME (a class or a function)")
    if name.endswith((".so", ".dylib", ".dll")):
        path = name if "/" in name else f"./{name}"
        raise UsageError(f"{name!r} is a library", f"name it as one: lib:{path} (where libraries are taken)")
    hint = nearest_names(name, scheduler_names()) or did_you_mean(name, ALIASES)
    if not hint.startswith("did you mean"):
        hint = "windtunnel schedulers lists them."
    raise UsageError(f"there is no scheduler {name!r}", f"{hint} Name your own as file.py:Class")


def _shipped(entry: Listed) -> Any:
    return load_reference(entry.reference)
