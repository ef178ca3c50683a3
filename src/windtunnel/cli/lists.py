"""``windtunnel schedulers`` and ``windtunnel formats``."""

from typing import Annotated

import typer

__all__ = ["formats", "schedulers"]


def schedulers(
    name: Annotated[str, typer.Argument(help="Describe this one, with its options.", metavar="NAME")] = "",
) -> None:
    """List the schedulers, or describe one.

    Examples:
      windtunnel schedulers
      windtunnel schedulers easy
    """
    from windtunnel.diagnostics import UsageError, did_you_mean
    from windtunnel.schedulers.registry import list_schedulers
    from windtunnel.vocabulary import Ability

    known = {info.name: info for info in list_schedulers()}
    if not name:
        width = max(map(len, known))
        family = ""
        for info in known.values():
            origin, slash, _ = info.name.partition("/")
            if slash and origin != family:
                family = origin
                copied = f"Like {info.source}, decision by decision:"
                print("\nPolicies of the literature:" if family == "literature" else f"\n{copied}")
            print(f"{info.name:{width}}  {info.description}")
        return
    info = known.get(name) or next((one for one in known.values() if name in one.aliases), None)  # type: ignore[assignment]
    if info is None:
        aliases = [alias for one in known.values() for alias in one.aliases]
        raise UsageError(f"there is no scheduler {name!r}", did_you_mean(name, [*known, *aliases]))
    print(f"{info.name}: {info.description}\nSource: {info.source}")
    print(f"Honours: {', '.join(ability.value for ability in Ability if ability in info.honours)}")
    if Ability.UNAVAILABLE_HOSTS not in info.honours:
        print("It goes on as if all hosts were there: a run in which one fails may abort.")
    if info.aliases:
        print(f"Aliases (through 0.2): {', '.join(info.aliases)}")
    print("Options:" if info.options else "It has no options.")
    for option in info.options:
        print(f"  --option {option}")


def formats() -> None:
    """List the file formats that can be read and written.

    Example:
      windtunnel formats
    """
    from windtunnel.formats.registry import list_formats

    for line in list_formats():
        print(line)
