"""``<config>``: SimGrid's configuration items (spec/execution-model.md 1.1)."""

from math import inf
from typing import TYPE_CHECKING, Final

from windtunnel.diagnostics import Severity, did_you_mean
from windtunnel.formats.sites.simgrid_xml.grammar import children, line_of
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.model.platform import Link

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["loopback_link", "read_config"]

NUMBERS: Final = (
    "network/TCP-gamma",
    "network/loopback-bw",
    "network/loopback-lat",
    "maxmin/precision",
    "precision/work-amount",
    "surf/precision",
    "precision/timing",
)
"""Items that change results, all numbers."""
MODELS: Final = ("host/model", "network/model", "cpu/model", "disk/model", "storage/model")
HARMLESS: Final = (
    *(
        "contexts/stack-size",
        "contexts/guard-size",
        "contexts/factory",
        "contexts/nthreads",
        "contexts/parallel-threshold",
    ),
    *(
        "contexts/synchro",
        "cpu/optim",
        "network/optim",
        "network/maxmin-selective-update",
        "cpu/maxmin-selective-update",
    ),
    *("network/crosstraffic", "network/latency-factor", "network/bandwidth-factor", "network/weight-S"),
    *("cpu/solver", "network/solver", "disk/solver", "maxmin/concurrency-limit", "maxmin/solver", "path", "plugin"),
    *("clean-atexit", "exception/cutpath", "msg/debug-multiple-use", "tracing", "host/solver"),
)
PREFIXES: Final = ("smpi/", "tracing/", "model-check/", "debug/", "viva/", "triva/", "bmf/", "ns3/", "lmm/")


def read_config(root: "_Element", values: Values) -> dict[str, str]:
    """All items. Unknown ones are warnings here (SimGrid refuses to start)."""
    found: dict[str, str] = {}
    for config in children(root, "config"):
        for name, value in values.properties(config).items():
            found.setdefault(_of_today(name), value)
        for prop in children(config, "prop"):
            _check(prop, values)
    return dict(sorted(found.items()))


def _of_today(name: str) -> str:
    """SimGrid's items had underscores for hyphens once (``network/TCP_gamma``), which it read for long."""
    known = name.replace("_", "-")
    return known if known in NUMBERS or known in HARMLESS else name


def _check(prop: "_Element", values: Values) -> None:
    given, value = prop.get("id"), prop.get("value")
    if given is None or value is None:
        return
    name = _of_today(given)
    if name != given:
        message = f"the configuration item {given!r} is called {name!r} now: read as that"
        values.findings.tally(message, code="renamed", line=line_of(prop), severity=Severity.NOTE)
    if name in NUMBERS:
        try:
            good = 0 <= float(value) < inf
        except ValueError:
            good = False
        if not good:
            values.fault(prop, "bad-number", f"{name} is {value!r}", "expected a number, 0 or more, without unit")
    elif name in MODELS:
        if value != "ptask_L07":
            message = f"{name} = {value!r} has no effect: the model is always that of parallel tasks (ptask_L07)"
            values.warn(prop, "ignored-config", message)
    elif name not in HARMLESS and not name.startswith(PREFIXES):
        near = [known for known in (*NUMBERS, *HARMLESS) if known.lower() == name.lower().replace("_", "-")]
        hint = did_you_mean(name, near) if near else "SimGrid refuses to start on it"
        values.warn(prop, "unknown-config", f"SimGrid has no configuration item {name!r}: it has no effect", hint)


def loopback_link(config: dict[str, str]) -> Link:
    """The link by which hosts of zones with a table reach themselves: 10 GB/s and no latency by default."""

    def number(name: str, default: float) -> float:
        try:
            return float(config[name])
        except (KeyError, ValueError):
            return default

    bandwidth = number("network/loopback-bw", 10e9)
    return Link("__loopback__", bandwidth, number("network/loopback-lat", 0.0), shared=False)
