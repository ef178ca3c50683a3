"""The environment format as a platform format: read, check, map; for the registry of formats."""

from math import inf
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.formats.sites.environment.platform import Mapping, site_platform
from windtunnel.formats.sites.environment.reader import Options, read
from windtunnel.model import Platform

__all__ = ["read_platform"]


class _AnyName(frozenset[str]):
    """Scheduler names are judged by whoever makes the schedulers."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


def read_platform(
    path: str | Path,
    *,
    flops_per_cycle: Annotated[float, msgspec.Meta(gt=0)] = 1.0,
    idle_share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5,
    network: str = "",
    merge_order: Literal["document", "reference"] = "document",
    allow_files: str | Path | None = None,
) -> Platform:
    """The platform of an environment; its events come with it, and ``site`` holds the whole description.

    Raises:
        InputError: the file has errors; what else is found goes with them.
        UsageError: an option is invalid.
    """
    if not 0 < float(flops_per_cycle) < inf:
        raise UsageError(f"flops_per_cycle must be a number greater than 0, not {flops_per_cycle}")
    if not 0 <= float(idle_share) <= 1:
        raise UsageError(f"idle_share must lie between 0 and 1, not {idle_share}")
    files = Path(allow_files) if allow_files else None
    options = Options(simulate=True, reference_order=merge_order == "reference", files=files, schedulers=_AnyName())
    site, findings = read(path, options)
    mapping = Mapping(flops_per_cycle=float(flops_per_cycle), idle_share=float(idle_share), network=network)
    mapped = site_platform(site, mapping, str(Path(path).absolute()))
    warnings = (*findings, *mapped.notes)
    made = msgspec.structs.replace(mapped.platform, events=mapped.events, warnings=warnings)
    if files is not None:
        made.options = {"allow_files": str(files.absolute())}  # to be read again from elsewhere
    return made
