"""``windtunnel convert``: a workload from one format into another."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["convert"]


def convert(
    source: Annotated[
        str, typer.Argument(help="The workload to read, or to generate (lublin:1000).", metavar="SOURCE")
    ],
    target: Annotated[Path, typer.Argument(help="The file to write.", metavar="TARGET")],
    to: Annotated[
        str, typer.Option("--to", help="The format to write (windtunnel formats); by default the suffix tells.")
    ] = "",
    option: Annotated[
        list[str], typer.Option("--option", "-o", help="An option of the format that is read, as key=value.")
    ] = [],  # noqa: B006 -- typer copies it
    apply: Annotated[
        list[str],
        typer.Option("--apply", metavar="OPERATION", help="Change the workload first, as windtunnel run does."),
    ] = [],  # noqa: B006 -- typer copies it
) -> None:
    """Convert a workload, and say what the format written cannot keep.

    Examples:
      windtunnel convert trace.swf.gz jobs.json

      windtunnel convert trace.swf jobs.json --to batsim4 -o walltime=kill

      windtunnel convert "lublin:1000?hosts=64&load=0.8" made.swf

      windtunnel convert trace.swf october.swf --apply "slice('1996-10', weeks=4)"
    """
    from windtunnel.cli.run import key_values
    from windtunnel.formats.convert import convert as convert_file

    options: dict[str, Any] = key_values(option, "format option")
    change = partial(_arranged, operations=apply) if apply else None
    for text in convert_file(source, target, to=to, change=change, **options):
        print(f"lost: {text}")


def _arranged(workload: Any, operations: list[str]) -> Any:
    from windtunnel.api import arrange

    return arrange(workload, *operations)
