"""What runs of leases are made of: sites, and Haizea's configurations with their workloads."""

import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from windtunnel.diagnostics import InputError, UsageError, open_input
from windtunnel.formats.haizea.ini import read_haizea_config
from windtunnel.formats.haizea.lwf import read_annotations, read_lwf, read_site
from windtunnel.formats.recognition import guess_format
from windtunnel.leases.haizea.workload import annotate, inject, site_from_text
from windtunnel.model import Platform
from windtunnel.model.haizea_config import HaizeaConfig
from windtunnel.model.lease import LeaseSite, LeaseWorkload
from windtunnel.model.lease_platform import platform_of_site

__all__ = ["leases_in", "load_haizea", "platform_from", "prepared", "read_site_or_text"]

_FIRST_ELEMENT = re.compile(rb"<([A-Za-z_][\w.-]*)")
_TEXT = re.compile(r"\s*\d+\s+\S+:")


def leases_in(path: Path, document_times: bool, starttime: datetime | None = None) -> LeaseWorkload:
    """The leases of a file; dates in it are counted from ``starttime``.

    Raises:
        InputError: the file is at fault.
        UsageError: it is a workload of jobs.
    """
    try:
        return read_lwf(path, document_times=document_times, starttime=starttime)
    except InputError as fault:
        if path.suffix != ".lwf" and [one.code for one in fault.errors] == ["xml"]:
            _refuse_jobs(path)
        raise


def _refuse_jobs(path: Path) -> None:
    """Say so if a file that is no XML holds jobs."""
    with suppress(InputError):
        meant = guess_format(path)
        if meant.kind == "workload" and meant.name != "lwf":
            from shlex import quote

            hint = f"jobs are scheduled as leases by windtunnel run hosts:16 {quote(str(path))} --scheduler leases"
            raise UsageError(f"{path} holds no leases: it is in the format {meant.name}", hint) from None


def platform_from(site: str | Path | LeaseSite | Platform) -> str | Path | Platform:
    """The platform of a run of leases: from a site of nodes (file, text or object); any other platform stays.

    Raises:
        InputError: the file is at fault.
        UsageError: it describes nothing.
    """
    if isinstance(site, Platform):
        return site
    if isinstance(site, LeaseSite):
        return platform_of_site(site)
    if not str(site):
        raise UsageError("an empty string does not describe a site", "give a site file, or '4 CPU:100,Memory:1024'")
    if _is_site_file(Path(site)):
        return platform_of_site(read_site(site), path=str(Path(site).absolute()))
    return platform_of_site(site_from_text(str(site))) if _TEXT.match(str(site)) else site


def _is_site_file(path: Path) -> bool:
    """Whether the first element of a file is a ``<site>``."""
    try:
        with open_input(path) as file:
            text = re.sub(rb"<!--.*?-->", b"", file.read(65536), flags=re.DOTALL)
    except (OSError, ValueError):
        return False
    found = _FIRST_ELEMENT.search(text)
    return found is not None and found[1] == b"site"


def read_site_or_text(text: str) -> LeaseSite:
    """A site from a file, or from a text such as ``4 CPU:100,Memory:1024``.

    Raises:
        InputError: the file is at fault.
        UsageError: neither a file nor such a text.
    """
    if not text:
        raise UsageError("an empty string does not describe a site", "give a site file, or '4 CPU:100,Memory:1024'")
    if Path(text).exists() or not text[:1].isdigit():
        return read_site(text)
    return site_from_text(text)


def load_haizea(
    path: str | Path, *, work: str | Path | None = None, document_times: bool = False, trust_code: bool = False
) -> tuple[HaizeaConfig, LeaseWorkload]:
    """A Haizea configuration, and its workload with injection and annotations carried out, on its site.

    File names in a configuration are relative to where it lies; ``work`` stands in for its tracefile; only with
    ``trust_code`` it may name code (``module:Class``).

    Raises:
        InputError, UsageError: a file is at fault.
    """
    return prepared(read_haizea_config(path, trust_code=trust_code), path, work=work, document_times=document_times)


def prepared(
    config: HaizeaConfig, path: str | Path, *, work: str | Path | None = None, document_times: bool = False
) -> tuple[HaizeaConfig, LeaseWorkload]:
    """As :func:`load_haizea`, of a configuration that was read from ``path``."""
    from msgspec.structs import replace

    base = Path(path).parent
    if work is None and config.clock == "real":
        hint = "write clock: simulated; for a live site there is windtunnel serve leases --config"
        raise UsageError(f"{path}: [simulation] clock is real (its default)", hint)
    if work is None and config.tracefile is None:
        raise UsageError(f"{path}: [tracefile] tracefile is missing: nothing to simulate")
    start = config.start_time  # that of the workload, which dates in it are counted from
    tracefile = base / (config.tracefile or "") if work is None else work
    workload = read_lwf(tracefile, document_times=document_times, starttime=start)
    leases = list(workload.leases)
    if config.injection_file is not None:
        more = read_lwf(base / config.injection_file, document_times=document_times, starttime=start)
        leases = inject(leases, more.leases)
    if config.annotation_file is not None:
        leases = annotate(leases, read_annotations(base / config.annotation_file, document_times=document_times))
    if config.image_file is not None:
        from windtunnel.formats.haizea.lwf_text import read_image_list

        images = read_image_list(base / config.image_file)
        if len(images) != len(leases):
            raise UsageError(f"{config.image_file} names {len(images)} images for {len(leases)} leases")
        leases = [replace(lease, software=image) for lease, image in zip(leases, images, strict=True)]
    site = workload.site
    if config.resources.startswith("file:"):
        site = read_site(base / config.resources.removeprefix("file:"))
    elif config.resources != "in-tracefile":
        site = site_from_text(config.resources)
    warnings = (*workload.warnings, *config.warnings)
    return config, replace(workload, leases=leases, site=site, warnings=warnings)
