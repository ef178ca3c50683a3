"""Options by name and value: the one rule for those of schedulers, readers, leases, the engine and recordings.

What may be given is read from annotations: the keyword parameters of a function or of a class's ``__init__``, or the
fields of a msgspec ``Struct`` (a class that takes many options names one as its ``Options``). Annotations are
numbers, texts, booleans, ``Literal`` choices, enumerations, and ``Annotated[..., msgspec.Meta(...)]`` for bounds.
Texts (of a command line, of a configuration file) become what the annotation says. All faults are named at once.
"""

import inspect
import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from math import inf, isfinite, isnan
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Protocol,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean, read_duration
from windtunnel.sources import as_written

__all__ = ["Option", "WithOptions", "check_fields", "checked_options", "expected", "options_of"]

_LISTED: Final = 16
"""The options of who takes more than these are not listed beside a fault."""
_SECONDS: Final = ", in seconds"
"""The unit of times, as the description of their type says it; they may also be written as ``90min`` or ``2h``."""
_REQUIRED: Final = inspect.Parameter.empty
_WORDS: Final[Mapping[Any, str]] = {
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    str: "a string",
    Any: "anything",
}


class Option(msgspec.Struct, frozen=True):
    """One option: its name, its type, and its default (``inspect.Parameter.empty`` when it is required)."""

    name: str
    type: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is _REQUIRED

    def __str__(self) -> str:
        usual = "" if self.required else f" (default {_plain(self.default)!r})"
        return f"{self.name}: {expected(self.type)}{usual}"


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def expected(kind: Any) -> str:
    """What values an annotation asks for, in words."""
    parts = get_args(kind)
    if get_origin(kind) in {UnionType, Union}:
        return " or ".join(expected(part) for part in parts if part is not NoneType)
    if get_origin(kind) is Annotated:
        metas = [meta for meta in parts[1:] if isinstance(meta, msgspec.Meta)]
        bounds = [text for meta in metas for text in _bounds(meta)]
        units = "".join(f", {meta.description}" for meta in metas if meta.description)
        return " ".join([expected(parts[0]), " and ".join(bounds)]).rstrip() + units
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, parts))}"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"one of {', '.join(str(member.value) for member in kind)}"
    return _WORDS.get(kind) or f"a {getattr(get_origin(kind) or kind, '__name__', kind)}"


def _written(kind: Any) -> bool:
    """Whether a value can be written as a string: others are given in Python only, and not proposed."""
    parts, form = get_args(kind), get_origin(kind)
    if form in {UnionType, Union}:
        return any(_written(part) for part in parts if part is not NoneType)
    if form is Annotated:
        return _written(parts[0])
    if form is Literal or kind in _WORDS:
        return True
    return isinstance(kind, type) and issubclass(kind, Enum | str | int | float)


def _bounds(meta: msgspec.Meta) -> list[str]:
    limits = (("greater than", meta.gt), ("of at least", meta.ge), ("less than", meta.lt), ("at most", meta.le))
    found = [f"{word} {value:g}" for word, value in limits if value is not None]
    return [*found, "that is not empty"] if meta.min_length else found


@runtime_checkable
class WithOptions(Protocol):
    """A class whose keyword parameters are the fields of a Struct."""

    Options: type[msgspec.Struct]


def options_of(factory: Callable[..., Any], *, skip: int = 0) -> tuple[dict[str, Option], bool]:
    """The options of a class (a Struct's fields are its options) or, leaving out its first ``skip`` parameters, of a
    function; and whether any other name is taken too (``**options``).
    """
    if isinstance(factory, type):
        if issubclass(factory, msgspec.Struct):
            return _fields(factory), False
        if isinstance(factory, WithOptions):
            return _fields(factory.Options), False
        owner = next(base for base in factory.__mro__ if "__init__" in vars(base))
        if owner is object:
            return {}, False
        function, skip = as_written(owner).__init__, skip + 1  # self is not an option
    else:
        function = factory
    hints = get_type_hints(function, include_extras=True)
    found: dict[str, Option] = {}
    anything = False
    for parameter in list(inspect.signature(function).parameters.values())[skip:]:
        if parameter.kind is parameter.VAR_KEYWORD:
            anything = True
        elif parameter.kind in {parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD}:
            found[parameter.name] = Option(parameter.name, hints.get(parameter.name, Any), parameter.default)
    return found, anything


@cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, Option]:
    fields = msgspec.structs.fields(struct)
    return {field.name: Option(field.name, field.type, _default(field)) for field in fields}


def _default(field: Any) -> Any:
    if field.required:
        return _REQUIRED
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def checked_options(
    whose: str,
    known: "Callable[..., Any] | tuple[dict[str, Option], bool]",
    given: Mapping[str, Any],
    *,
    shown: Callable[[str], str] = str,
) -> dict[str, Any]:
    """The options given, converted to what is asked for.

    Args:
        whose: who takes them, for messages (``scheduler 'easy'``).
        known: a class, or what :func:`options_of` says.
        given: name -> value; texts are converted.
        shown: how a name is written in messages.

    Raises:
        UsageError: an option is unknown, missing, or has no sensible value; all such faults are named at once.
    """
    options, anything = known if isinstance(known, tuple) else options_of(known)
    faults: list[str] = []
    converted: dict[str, Any] = {}
    for name, value in given.items():
        option = options.get(name)
        if option is not None:
            try:
                converted[name] = _converted(option, value, strict=False)
            except ValueError:
                faults.append(_wrong(option, value, shown))
        elif anything:
            converted[name] = value
        else:
            hint = did_you_mean(shown(name), map(shown, options)) if options else "it takes no options"
            faults.append(f"no option {shown(name)!r}" + (f" ({hint})" if hint else ""))
    faults += [f"{shown(o.name)} must be given" for o in options.values() if o.required and o.name not in given]
    if faults:
        listed = "; ".join(str(option) for option in options.values() if _written(option.type))
        listed = listed if len(options) <= _LISTED else ""
        raise UsageError(f"{whose}: {'; '.join(faults)}", f"its options: {listed}" if listed else "")
    return converted


def check_fields(
    options: msgspec.Struct, whose: str, *, texts: bool = False, shown: Callable[[str], str] = str
) -> None:
    """Check the fields of a Struct of options that has just been made; with ``texts``, texts become what they mean.

    Raises:
        UsageError: fields have no sensible value; all of them are named, with what is expected.
    """
    faults = []
    for name, option in _fields(type(options)).items():
        value = getattr(options, name)
        try:
            read = _converted(option, value, strict=not texts)
        except ValueError:
            faults.append(_wrong(option, value, shown))
            continue
        if isinstance(value, str):
            msgspec.structs.force_setattr(options, name, read)
    if faults:
        raise UsageError(f"{whose}: {'; '.join(faults)}")


def _wrong(option: Option, value: Any, shown: Callable[[str], str]) -> str:
    return f"{shown(option.name)} must be {expected(option.type)}, not {_plain(value)!r:.50}"


def _converted(option: Option, value: Any, *, strict: bool) -> Any:
    """The value as its type says; :class:`ValueError` when it cannot be. ``strict``: no text becomes a number.

    A number is finite, unless the option is without limit by default.
    """
    value = _own_number(value)
    kind = option.type
    if isinstance(kind, type) and not isinstance(value, str | int | float | list | tuple | dict | None):
        if not strict or isinstance(value, kind):
            return value  # an object of the caller's own, for a class of the caller's own
        raise ValueError(value)
    if kind is str and isinstance(value, int | float) and not strict:
        return str(value)
    try:
        read = _read(value, kind, strict=strict)
    except TypeError:  # a type that nothing can be converted to
        return value
    if isinstance(read, float) and not isfinite(read) and (isnan(read) or option.default not in {inf, -inf}):
        raise ValueError(value)
    return read


def _read(value: Any, kind: Any, *, strict: bool) -> Any:
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError:
        if isinstance(value, str) and not strict:
            if _SECONDS in expected(kind):
                with suppress(UsageError):
                    return msgspec.convert(read_duration(value), kind)
            return msgspec.convert(value, kind)  # digits may be a word among choices
        raise


def _own_number(value: Any) -> Any:
    """Python's own number for one of another library (numpy's are not ints, and floats of a kind of their own)."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str | int) or not hasattr(value, "__index__"):
        return value
    try:
        return operator.index(value)
    except TypeError:
        return value
