"""``windtunnel schedulers`` and ``windtunnel formats``."""

from typing import Annotated, Final

import typer

__all__ = ["formats", "schedulers"]

_OF_OUR_OWN: Final = {
    "elastic": "For jobs that change their size",
    "learned": "Policies that were learned",
    "literature": "Policies of the literature",
}
"""Families that copy no other program, by what stands before the slash."""


def schedulers(
    name: Annotated[
        str,
        typer.Argument(
            help="Describe this one, with its options: a name, module:Class or file.py:Class.", metavar="NAME"
        ),
    ] = "",
) -> None:
    """List the schedulers, or describe one.

    Examples:
      windtunnel schedulers

      windtunnel schedulers easy

      windtunnel schedulers my_policy.py:ShortestFirst
    """
    if name:
        _describe(name)
    else:
        _list()


def _list() -> None:
    """All schedulers, by family."""
    from windtunnel.schedulers.registry import list_schedulers

    known = list_schedulers()
    width = max(len(info.name) for info in known)
    family = ""
    for info in known:
        origin, slash, _ = info.name.partition("/")
        if slash and origin != family:
            family = origin
            print(f"\n{_OF_OUR_OWN.get(family, f'Like {info.source}, decision by decision')}:")
        print(f"{info.name:{width}}  {info.description}")


def _describe(name: str) -> None:
    """One scheduler, with its options."""
    from windtunnel.schedulers.registry import describe_scheduler
    from windtunnel.vocabulary import Ability

    info = describe_scheduler(name)
    print(f"{info.name}: {info.description}\nSource: {info.source}")
    print(f"Honours: {', '.join(ability.value for ability in Ability if ability in info.honours)}")
    if Ability.UNAVAILABLE_HOSTS not in info.honours:
        print("It does not handle host failures: a run in which a host fails may abort.")
    if info.aliases:
        print(f"Aliases (through 0.2): {', '.join(info.aliases)}")
    print("Options:" if info.options else "It has no options.")
    for option in info.options:
        print(f"  --option {option}")


def formats() -> None:
    """List the file formats that can be read and written, and those of carbon intensities and prices.

    Example:
      windtunnel formats
    """
    from windtunnel.formats.recognition import list_formats
    from windtunnel.formats.signals import FORMATS

    for line in list_formats():
        print(line)
    print("\nOf --carbon, --price, --generation and --power-cap:")
    for signal in FORMATS:
        print(signal)
