"""``windtunnel resolve``: an environment with all inheritance carried out."""

import json
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

__all__ = ["resolve"]


def resolve(
    file: Annotated[Path, typer.Argument(help="An environment (JSON); - is standard input.", metavar="FILE")],
    merge_order: Annotated[
        str, typer.Option(help="How arrays are merged: document (as it says), or reference (as that tool does).")
    ] = "document",
    allow_files: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option(help="A folder from which other files may be inherited.", metavar="FOLDER"),
    ] = None,
    indent: Annotated[int, typer.Option(min=0, max=16, help="Spaces per level; 0 prints one line.")] = 2,
    definitions: Annotated[bool, typer.Option(help="Keep the definitions.")] = True,
) -> None:
    """Print an environment with every $base and $merge replaced by what it stands for.

    The JSON goes to standard output, findings to standard error. Exit code 1 if there are errors.

    Example:
      windtunnel resolve environment.json --no-definitions > plain.json
    """
    from windtunnel.cli.validate import _data, environment_options
    from windtunnel.diagnostics import as_text
    from windtunnel.formats.sites.environment import check

    options = environment_options(merge_order, allow_files)
    checked = check(_data(file), str(file), options, folder=file.parent)
    if checked.findings:
        print(as_text(checked.findings), file=sys.stderr)
    print(f"merged arrays: {merge_order} order", file=sys.stderr)
    if checked.tree is not None:
        tree = checked.tree
        if not definitions and isinstance(tree, dict):
            tree = {key: value for key, value in tree.items() if key != "definitions"}
        json.dump(tree, sys.stdout, indent=indent or None, ensure_ascii=False)
        print()
    if not checked.ok:
        raise typer.Exit(1)
