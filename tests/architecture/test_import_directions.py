"""The rooms import only what the design allows, so that the picture stays true.

Names in strings that are imported when needed are arrows like any other.
"""

from import_graph import PACKAGE, files, imported, named

BELOW = (
    "operating_system",
    "sources",
    "diagnostics",
    "options",
    "loading",
    "on_use",
    "model",
    "entities",
    "vocabulary",
    "formats",
    "engine",
    "wires",
    "schedulers",
    "leases",
    "results",
    "report",
)
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "operating_system": (),
    "sources": (),
    "diagnostics": ("operating_system",),
    "options": ("diagnostics", "sources"),
    "loading": ("diagnostics",),
    "on_use": (),
    "model": ("diagnostics", "loading", "on_use", "options"),
    "entities": ("model", "diagnostics"),
    "vocabulary": ("model", "diagnostics"),
    "workloads": ("model", "diagnostics", "on_use", "options"),
    "formats": ("model", "entities", "workloads", "diagnostics", "examples", "options", "loading", "on_use"),
    "engine": ("model", "vocabulary", "diagnostics", "options", "on_use", "operating_system"),
    "wires": ("model", "entities", "vocabulary", "diagnostics", "operating_system"),
    "schedulers": ("model", "vocabulary", "diagnostics", "options", "loading", "listings", "on_use", "sources"),
    "leases": ("model", "vocabulary", "schedulers", "diagnostics", "options", "loading", "on_use"),
    "results": ("model", "entities", "vocabulary", "diagnostics", "options", "loading", "on_use", "operating_system"),
    "report": ("results", "model", "diagnostics"),
    "examples": ("diagnostics",),
    "made_jobs": ("engine", "model", "diagnostics"),
    "inputs": ("made_jobs", "formats", "workloads", "model", "diagnostics"),
    "decision_components": ("wires", "schedulers", "model", "vocabulary", "diagnostics", "options"),
    "run_account": ("model", "vocabulary", "diagnostics"),
    "assembly": ("examples", "formats", "vocabulary", "model", "diagnostics", "decision_components", "inputs", "run_account"),
    "runs": ("results", "report"),
    "live": ("report", "results", "engine", "model", "vocabulary", "diagnostics"),
    "run_billing": ("formats", "model", "diagnostics"),
    "run_options": ("run_billing", "engine", "results", "inputs", "made_jobs", "model", "vocabulary", "diagnostics"),
    "simulation": (*BELOW, "assembly", "run_account", "run_billing", "run_options", "runs", "live"),
    "api": (*BELOW, "examples", "decision_components", "inputs", "assembly", "run_billing", "runs", "simulation", "live"),
    "learning": (*BELOW, "inputs"),
    "studies": (*BELOW, "examples", "workloads", "inputs", "run_billing", "api"),
    "services": (*BELOW, "api", "examples"),
    "testing": (*BELOW, "api", "services", "examples"),
    "twin": (*BELOW, "api", "studies", "workloads"),
    "cli": (*BELOW, "api", "studies", "services", "testing", "examples", "twin"),
    "version": (),
    "listings": (),
    "shipped": ("listings", "schedulers", "leases"),
    "__init__": (*BELOW, "api", "studies", "listings", "shipped", "version"),
    "__main__": ("cli",),
}

LOADS = {
    f"{PACKAGE}.formats.recognition",
    f"{PACKAGE}.schedulers.registry",
    f"{PACKAGE}.leases.registry",
    f"{PACKAGE}.model.event_kinds",
    f"{PACKAGE}.results.own_metrics",
}
"""The files that look up what is named on the command line, in Python or by packages."""


def room_of(module: str) -> str:
    """The first name below the package; ``__init__`` for the package itself."""
    return module.partition(".")[2].partition(".")[0] or "__init__"


def reached_into(module: str) -> set[str]:
    """The rooms that a module must not import, and does."""
    room = room_of(module)
    foreign = {room_of(other) for other in imported(module) | named(module)} - {room}
    if room != "__main__":
        foreign -= {"version"}
    return foreign - set(MAY_IMPORT[room])


def test_a_room_imports_only_what_the_design_allows() -> None:
    assert {module: rooms for module in files() if (rooms := reached_into(module))} == {}


def test_every_room_is_in_the_picture() -> None:
    assert {room_of(module) for module in files()} <= set(MAY_IMPORT)


def test_only_registries_load_what_is_named() -> None:
    """Data never runs code: what loads modules and entry points is asked for what users and packages name."""
    loading = {module for module in files() if f"{PACKAGE}.loading" in imported(module)}
    assert loading <= LOADS
