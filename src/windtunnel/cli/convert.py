"""``windtunnel convert``: a workload from one format into another."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

__all__ = ["convert"]

_BESIDE: Final = ("platform.xml", "configuration.json")
"""What ElastiSim needs beside the jobs."""


def convert(
    source: Annotated[
        str, typer.Argument(help="The workload to read, or to generate (lublin:1000).", metavar="SOURCE")
    ],
    target: Annotated[Path, typer.Argument(help="The file to write.", metavar="TARGET")],
    to: Annotated[
        str, typer.Option("--to", help="The format to write (windtunnel formats); default: by the file's suffix.")
    ] = "",
    option: Annotated[
        list[str], typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option for reading the input.")
    ] = [],  # noqa: B006 -- typer copies it
    apply: Annotated[
        list[str],
        typer.Option("--apply", metavar="OPERATION", help="Change the workload first, as windtunnel run does."),
    ] = [],  # noqa: B006 -- typer copies it
    platform: Annotated[
        str,
        typer.Option(
            "--platform",
            metavar="PLATFORM",
            help="With --to elastisim: also write platform.xml and configuration.json beside the jobs.",
        ),
    ] = "",
) -> None:
    """Convert a workload, and list what the target format cannot keep.

    Examples:
      windtunnel convert trace.swf.gz jobs.json

      windtunnel convert trace.swf jobs.json --to batsim4 -o walltime=kill

      windtunnel convert "lublin:1000?hosts=64&load=0.8" made.swf

      windtunnel convert trace.swf october.swf --apply "slice('1996-10', weeks=4)"

      windtunnel convert trace.swf jobs.json --to elastisim --platform hosts:128
    """
    from windtunnel.cli.values import key_values
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.convert import convert as convert_file

    options: dict[str, Any] = key_values(option, "format option")
    change = partial(_changed, operations=apply, options=options) if apply else None
    if platform and to != "elastisim":
        raise UsageError("--platform requires --to elastisim", "other workload formats do not name a platform")
    site = _site(platform, target) if platform else None  # what is wrong with it is said before anything is written
    lost = convert_file(source, target, to=to, change=change, tell=_tell, **options)
    if site is not None:
        lost += _for_elastisim(target, site)
    for text in lost:
        print(f"lost: {text}")


def _tell(workload: Any) -> None:
    """What was dropped and repaired while it was read."""
    from windtunnel.cli.summary import print_account, print_ingestion
    from windtunnel.diagnostics import Account
    from windtunnel.model.asks import Warned

    account = Account()
    if isinstance(workload, Warned):
        account.take(workload.warnings)
    if len(account):
        print_ingestion([workload])
        print_account(account)


def _site(platform: str, target: Path) -> Any:
    from windtunnel.diagnostics import UsageError, read_input, spare_inputs
    from windtunnel.formats.elastisim.site_write import platform_content
    from windtunnel.formats.registry import read_platform

    site = read_platform(platform)
    path, configured = (target.with_name(name) for name in _BESIDE)
    for one in (path, configured):
        spare_inputs(one)
    content = platform_content(site)
    for one, other in (
        (path, path.is_file() and read_input(path) != content),
        (configured, configured.is_file() and not _leads_to(configured, target)),
    ):
        if other:
            raise UsageError(
                f"{one} is there and holds something else, which would be overwritten",
                "write the jobs into another folder, or remove it first",
            )
    return site


def _leads_to(configuration: Path, jobs: Path) -> bool:
    """Whether a file is a configuration that was written beside these jobs."""
    import msgspec

    from windtunnel.diagnostics import read_input

    try:
        found = msgspec.json.decode(read_input(configuration), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return found.get("jobs_file") == jobs.name and found.get("platform_file") == _BESIDE[0]


def _for_elastisim(jobs: Path, site: Any) -> list[str]:
    """The configuration and the platform beside ElastiSim's jobs; what was lost."""
    from windtunnel.formats.elastisim.jobs import read_jobs
    from windtunnel.formats.elastisim.site_write import configuration_for, write_configuration, write_platform

    path, configured = (jobs.with_name(name) for name in _BESIDE)
    lost = write_platform(site, path)
    configuration, more = configuration_for(read_jobs(jobs), jobs, path)
    write_configuration(configuration, configured)
    return [*lost, *more]


def _changed(workload: Any, operations: list[str], options: dict[str, Any]) -> Any:
    from windtunnel.api import changed

    return changed(workload, operations, **options)
