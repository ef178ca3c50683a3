"""``windtunnel convert``: a workload from one format into another."""

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["convert"]


def convert(
    source: Annotated[Path, typer.Argument(help="The workload to read.", metavar="SOURCE")],
    target: Annotated[Path, typer.Argument(help="The file to write.", metavar="TARGET")],
    to: Annotated[
        str, typer.Option("--to", help="The format to write (windtunnel formats); by default the suffix tells.")
    ] = "",
    option: Annotated[
        list[str], typer.Option("--option", "-o", help="An option of the format that is read, as key=value.")
    ] = [],  # noqa: B006 -- typer copies it
) -> None:
    """Convert a workload, and say what the format written cannot keep.

    Examples:
      windtunnel convert trace.swf.gz jobs.json

      windtunnel convert trace.swf jobs.json --to batsim4 -o walltime=kill
    """
    from windtunnel.cli.run import key_values
    from windtunnel.formats.convert import convert as convert_file

    options: dict[str, Any] = key_values(option, "format option")
    for text in convert_file(source, target, to=to, **options):
        print(f"lost: {text}")
