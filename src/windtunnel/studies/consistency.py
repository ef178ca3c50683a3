"""Whether the words of a study go together: designs and points, and names in braces and parameters."""

from collections.abc import Mapping
from typing import Any, Final

from windtunnel.diagnostics import did_you_mean
from windtunnel.studies.electricity import ELECTRICITY
from windtunnel.studies.entries import AXIS_WORDS
from windtunnel.studies.faults import Faults
from windtunnel.studies.placeholders import placeholders
from windtunnel.studies.words import AXES, Span

__all__ = ["check_design", "check_names"]

_Way = tuple[str | int, ...]

_WITH_NAMES: Final = ("until", *ELECTRICITY)
"""Single words that may have names in braces."""


def check_design(found: dict[str, Any], faults: Faults) -> None:
    """Whether samples, points and spans go with the design."""
    design = found.get("design", "grid")
    sampled = design in {"random", "latin-hypercube"}
    if sampled and not found.get("samples"):
        faults.add(("design",), f"a {design} design needs samples", "such as samples = 50")
    if sampled and not found.get("parameters"):
        faults.add(("design",), f"a {design} design draws values of parameters, and there are none")
    for word in ("samples", "design_seed"):
        if word in found and not sampled:
            faults.add((word,), f"a {design} design draws nothing: {word} has no effect", 'design = "random"')
    if (design == "list") != bool(found.get("points")):
        where = "points" if found.get("points") else "design"
        faults.add((where,), "points and the design 'list' belong together", 'design = "list" and [[points]]')
    for name, values in (found.get("parameters") or {}).items():
        if isinstance(values, Span) and not sampled:
            faults.add(("parameters", name), "only a random or latin-hypercube design draws from a span", "or a list")


def check_names(found: dict[str, Any], faults: Faults, reserved: frozenset[str]) -> None:
    """Whether what texts have in braces is what there is, and all there is stands somewhere."""
    parameters = found.get("parameters") or {}
    points = found.get("points") or ()
    of_points = dict.fromkeys(name for point in points for name in point if name not in AXES)
    known = [*parameters, *of_points]
    for name in reserved.intersection(known):
        where = ("parameters", name) if name in parameters else ("points",)
        faults.add(where, f"a parameter cannot be called {name!r}: results have a column of that name")
    for rank, point in enumerate(points):
        for name in [one for one in of_points if one not in point and one not in parameters]:
            faults.add(("points", rank), f"this point gives no value for {name}, and others do")
        _check_axes(point, rank, found, faults)
    used: set[str] = set()
    for way, value in _texts(found):
        names = placeholders(value)
        used |= names
        for name in sorted(names - {*known, "seed"}):
            faults.add(way, f"there is no parameter {name!r}", did_you_mean(name, [*known, "seed"]))
        if "seed" in names and "seeds" not in found:  # wrong ones were told
            faults.add(way, "{seed} is used here, but the study has no seeds", "such as seeds = 10")
    for name in known:
        if name not in used:
            hint = f"write {{{name}}} where its value belongs, as in operations = ['scale_load({{{name}}})']"
            where = ("parameters", name) if name in parameters else ("points",)
            faults.add(where, f"the parameter {name!r} changes nothing: nothing uses {{{name}}}", hint)
    if found.get("seeds") and "seed" not in used and found.get("workloads"):
        hint = "write {seed} where it belongs, as in 'lublin:1000?seed={seed}' or operations = ['resample({seed})']"
        faults.add(("seeds",), "seeds change nothing: no text has {seed}", hint)


def _check_axes(point: Mapping[str, Any], rank: int, found: dict[str, Any], faults: Faults) -> None:
    """Whether what a point says of an axis is one of its values."""
    words = {"platform": "platforms", "workload": "workloads", "scheduler": "schedulers"}
    for axis in AXES:
        if axis not in point:
            continue
        known = found.get("seeds") if axis == "seed" else [e.label for e in found.get(words.get(axis, axis)) or ()]
        if point[axis] not in (known or ()):
            hint = did_you_mean(str(point[axis]), map(str, known or ()))
            faults.add(("points", rank, axis), f"there is no {axis} {point[axis]!r} in the study", hint)


def _texts(found: dict[str, Any]) -> list[tuple[_Way, Any]]:
    """Whatever texts may have names in braces, with the way to them."""
    listed: list[tuple[_Way, Any]] = [
        (("operations", rank), text) for rank, text in enumerate(found.get("operations") or ())
    ]
    listed += [((word,), found.get(word, "")) for word in _WITH_NAMES]
    for word in AXIS_WORDS:
        for rank, entry in enumerate(found.get(word) or ()):
            texts = (entry.what if isinstance(entry.what, str | tuple) else "", entry.operations, entry.options)
            listed.append(((word, rank), texts))
    return listed
