"""Haizea's configuration files for several runs: profiles × traces × annotations × injected leases.

``[multi]`` lists directories and files, ``[common:SECTION]`` holds what all runs share, ``[PROFILE:SECTION]`` what is
a profile's own. Each run gets the name ``PROFILE_TRACE[+INJECTED][+ANNOTATION]``.
"""

from itertools import product
from pathlib import Path

from windtunnel.diagnostics import Findings, did_you_mean, read_text
from windtunnel.formats.haizea.ini import config_from_sections, read_haizea_sections
from windtunnel.model.haizea_config import HaizeaConfig

__all__ = ["is_multi", "read_haizea_multi"]

_KNOWN = (
    "tracedir",
    "tracefiles",
    "annotationdir",
    "annotationfiles",
    "skip-no-annotation",
    "injectiondir",
    "injectionfiles",
    "skip-no-injection",
    "datadir",
    "basedatadir",
)


def is_multi(path: str | Path) -> bool:
    """Whether a configuration file is one for several runs."""
    try:
        return "[multi]" in read_text(path, errors="replace")
    except OSError:
        return False


def read_haizea_multi(path: str | Path, *, trust_code: bool = False) -> dict[str, HaizeaConfig]:
    """The configurations of all runs, by name; with ``trust_code`` they may name code (``module:Class``).

    Raises:
        InputError: the file, or one of the configurations it makes, is at fault.
    """
    notes = Findings(str(path))
    sections, lines = read_haizea_sections(path, notes)
    multi = sections.pop("multi", {})
    for name in multi:
        if name not in _KNOWN:
            hint = did_you_mean(name, _KNOWN)
            notes.add(
                f"[multi] has no option {name!r}",
                code="unknown-option",
                line=lines.get(("multi", name), 0),
                hint=hint,
            )
    profiles = _profiles(sections, lines, notes)
    traces = _files(multi, "trace", Path(path).parent)
    if not traces:
        notes.add("[multi] names no tracefiles", code="missing-option")
    if len(profiles) < 2:  # the shared part is always there
        notes.add("there is no profile: sections are named [PROFILE:SECTION]", code="missing-section")
    notes.raise_if_errors()
    shared = profiles.pop("common")
    annotations = _optional(multi, "annotation", Path(path).parent)
    injections = _optional(multi, "injection", Path(path).parent)
    runs = {}
    for (profile, own), trace, annotation, injected in product(profiles.items(), traces, annotations, injections):
        name = f"{profile}_{_stem(trace)}" + "".join(f"+{_stem(file)}" for file in (injected, annotation) if file)
        merged = {section: dict(options) for section, options in shared.items()}
        for section, options in own.items():
            merged.setdefault(section, {}).update(options)
        files = {"tracefile": trace, "annotationfile": annotation, "injectionfile": injected}
        merged.setdefault("tracefile", {}).update({key: file for key, file in files.items() if file})
        found = Findings(f"{path} ({name})")
        found.extend(notes)
        runs[name] = config_from_sections(merged, found, trust_code=trust_code)
    return runs


def _profiles(
    sections: dict[str, dict[str, str]], lines: dict[tuple[str, str], int], notes: Findings
) -> dict[str, dict[str, dict[str, str]]]:
    profiles: dict[str, dict[str, dict[str, str]]] = {"common": {}}
    for title, options in sections.items():
        profile, colon, section = title.partition(":")
        if not colon:
            hint = "sections of several runs are [common:SECTION] and [PROFILE:SECTION]"
            notes.add(f"[{title}] has no profile", code="section", line=lines.get((title, ""), 0), hint=hint)
        profiles.setdefault(profile, {})[section] = options
    return profiles


def _files(multi: dict[str, str], kind: str, base: Path) -> list[str]:
    folder = base / multi.get(f"{kind}dir", "")
    return [str((folder / name).absolute()) for name in multi.get(f"{kind}files", "").split()]


def _optional(multi: dict[str, str], kind: str, base: Path) -> list[str]:
    """The files, and none ("") unless that is to be skipped."""
    files = _files(multi, kind, base)
    skip = multi.get(f"skip-no-{kind}", "false").strip().lower() in {"true", "yes", "1", "on"}
    return files if files and skip else ["", *files]


def _stem(file: str) -> str:
    return Path(file).name.partition(".")[0]
