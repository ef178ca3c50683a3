"""Options of schedulers: read from the signature of the class, checked and converted before it is made.

The options of a scheduler are the keyword parameters of its ``__init__``, with their annotations: numbers, texts,
booleans, ``Literal`` choices, and ``Annotated[..., msgspec.Meta(...)]`` for bounds. A class that takes many may name
a msgspec ``Struct`` as its ``Options`` instead, whose fields they are. Texts (from a command line) are converted to
what the annotation says.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean

__all__ = ["Option", "checked_options", "options_of"]


class Option(msgspec.Struct, frozen=True):
    """One option: its name, its type, and its default (``inspect.Parameter.empty`` when it is compulsory)."""

    name: str
    type: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is inspect.Parameter.empty

    def __str__(self) -> str:
        return f"{self.name}={_choices(self.type)}" + ("" if self.required else f" (default {self.default!r})")


def _choices(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "|".join(str(value) for value in get_args(kind))
    metadata = getattr(kind, "__metadata__", None)
    if metadata:
        bounds = [
            f"{sign} {value:g}"
            for meta in metadata
            if isinstance(meta, msgspec.Meta)
            for sign, value in ((">", meta.gt), (">=", meta.ge), ("<", meta.lt), ("<=", meta.le))
            if value is not None
        ]
        return f"{_choices(get_args(kind)[0])} {' and '.join(bounds)}".strip()
    return getattr(kind, "__name__", str(kind))


def options_of(factory: Callable[..., Any], *, skip: int = 0) -> tuple[dict[str, Option], bool]:
    """The options of a class (or, leaving out its first ``skip`` parameters, of a function) and whether any other
    name is taken too (``**options``).
    """
    struct = getattr(factory, "Options", None)
    if isinstance(factory, type) and isinstance(struct, type) and issubclass(struct, msgspec.Struct):
        fields = msgspec.structs.fields(struct)
        empty = inspect.Parameter.empty
        return {f.name: Option(f.name, f.type, empty if f.required else f.default) for f in fields}, False
    function = getattr(factory, "__init__") if isinstance(factory, type) else factory  # noqa: B009 -- the type's own
    if function is object.__init__:
        return {}, False
    parameters = list(inspect.signature(function).parameters.values())
    hints = get_type_hints(function, include_extras=True)
    if isinstance(factory, type):
        skip += 1  # self
    found: dict[str, Option] = {}
    anything = False
    for parameter in parameters[skip:]:
        if parameter.kind is parameter.VAR_KEYWORD:
            anything = True
        elif parameter.kind in {parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD}:
            kind = hints.get(parameter.name, Any)
            found[parameter.name] = Option(parameter.name, kind, parameter.default)
    return found, anything


def checked_options(
    scheduler: str, factory: Callable[..., Any], given: Mapping[str, Any], *, skip: int = 0
) -> dict[str, Any]:
    """The options given, converted to the types of the factory's parameters.

    Raises:
        UsageError: an option is unknown, missing, or has no sensible value; all such faults are named at once.
    """
    known, anything = options_of(factory, skip=skip)
    faults: list[str] = []
    converted: dict[str, Any] = {}
    for name, value in given.items():
        option = known.get(name)
        if option is not None:
            try:
                converted[name] = _convert(option, value)
            except (msgspec.ValidationError, ValueError):
                faults.append(f"option {name!r} must be {_choices(option.type)}, not {value!r}")
        elif anything:
            converted[name] = value
        else:
            hint = did_you_mean(name, known) if known else "it takes no options"
            faults.append(f"no option {name!r} ({hint})")
    faults += [f"option {o.name!r} is compulsory" for o in known.values() if o.required and o.name not in given]
    if faults:
        valid = "; ".join(str(option) for option in known.values())
        raise UsageError(f"scheduler {scheduler!r}: {'; '.join(faults)}", f"its options: {valid}" if valid else "")
    return converted


def _convert(option: Option, value: Any) -> Any:
    kind = option.type
    if isinstance(kind, type) and not isinstance(value, str | int | float | bool | list | tuple | dict | None):
        return value  # an object of the caller's own, for a scheduler of the caller's own
    if kind is str and isinstance(value, int | float):
        return str(value)
    return msgspec.convert(value, kind, strict=False)
