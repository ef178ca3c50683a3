"""What shipped schedulers know of the site is in its one mirror: none keeps free, running or absent hosts of its own."""

import ast
import re
from collections.abc import Iterator

from import_graph import PACKAGE, files

ROOM = f"{PACKAGE}.schedulers."
STATES = re.compile(
    r"(^|_)(free|unused|left|running|held|busy|used|taken|unavailable|available|absent|down|asleep|sleeping|awake|idle"
    r"|waking|dozing|switching|partly|occupancy)(_on|_off)?($|_hosts|_machines|_jobs|_since)"
)
"""How hosts and jobs are called by what is known of them."""

HOSTS = frozenset({"HostSet", "HostPool"})

KNOWN = {
    # plans: what is foreseen, not what is
    "availability:free": "how many hosts are free over time, in a plan",
    "by_host:hosts": "of a reservation",
    "batsched.profile:free": "which hosts are free over time, in a plan",
    "batsched.profile:_taken": "how many hosts jobs take as they begin, in that plan",
    "batsched.energy_easy:_idle": "which hosts the plan leaves idle now",
    "batsched.energy_easy:_idle_since": "since when it leaves them idle",
    "packing.room:free": "a copy that is changed to ask what would be free; `now` it is the mirror's own",
    "packing.room:left": "likewise",
    "packing.room:absent": "likewise",
    "packing.room:_able": "an index: which hosts can hold what, as far as somebody has asked",
    "packing.room:_changes": "the hosts of which that index does not know the latest",
    "packing.room:_since": "likewise, put together",
    "packing.room:_in_parts": "an index: the hosts of which jobs have parts",
    "packing.later:_taken": "the mirror's own",
    "packing.timetable:left": "what is left of a host over time, in a plan",
    "packing.conservative:_plan": "that plan",
    "packing.conservative:_running": "what running jobs hold in the plan",
    "literature.kept_reservations:_held": "what running jobs hold in the plan, and until when",
    "packing.sleeper:absent": "of the room that is changed to ask which hosts are to be switched on",
    # what is looked up faster than in the mirror, and made of it
    "stage_machines:_groups": "machines by their cores, which do not change",
    "stage_machines:_by_free": "an index of hosts by their free cores, as the mirror shows them",
    "stage_machines:_pools": "one level of it",
    "stage_machines:_unused": "an index of the mirror's free hosts, by their cores",
    "stage_machines:_partly": "on which level of the index machines stand",
    # the core of the slurm scheduler, which decides without an engine, too: what Slurm keeps, in cores and indices
    "slurm.shares.fair_share:_free": "ranks that nobody has yet",
    "slurm.jobs.pending:held": "whether a job is held back by its user",
    "slurm.held_nodes:occupancy": "cores, memory and generic resources by index that jobs hold: the mirror knows amounts",
    "slurm.loops.failing:available": "the nodes of no partition that has failed in this run",
    "slurm.nodes.on_nodes:idle": "CPUs of each node, also in a future that is tested",
    "slurm.nodes.on_nodes:used": "the nodes on which jobs are, also in a future that is tested",
    "slurm.nodes.occupancy:used": "likewise",
    "slurm.select.masks:free": "how many CPUs nobody holds, also in a future that is tested",
    "slurm.select.runs:taken": "what is picked in one selection",
    "slurm.state:running": "jobs with what their limits, usage and preemption take",
    # what a scheduler sees of a site: its partitions, which do not change, and limits, of which the mirror knows nothing
    "partitioned.gate:held": "for which limit a job is held back",
    "partitioned.passed:held": "likewise",
    # numbers that the scheduler inside is shown
    "by_core:_cores": "the numbers of the cores of a job, of which the site knows nothing",
    "core_numbers:_alike": "hosts by their cores, which do not change",
    "datacenter:_all": "the numbers of all hosts of a datacenter, which do not change",
    # dates
    "idle_hosts:_idle": "when hosts were freed; which are free is asked of the mirror",
    "energy_idle_sleeper:_idle": "whoever knows these dates",
    "packing.sleeper:_idle": "likewise",
    # options
    "energy_idle_sleeper:keep_awake": "how many hosts are to stay awake",
    "idle_hosts:keep_awake": "likewise",
    "packing.sleeper:keep_awake": "likewise",
}
"""Fields of hosts that are not what is known of the site, and what they are."""


def fields(tree: ast.AST) -> Iterator[tuple[str, ast.AST | None, ast.expr | None]]:
    """What objects keep: name, annotation and value of every assignment to a field, and those declared to be hosts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.AnnAssign) and made_of_hosts(part.annotation):
                    assert isinstance(part.target, ast.Name)
                    yield part.target.id, part.annotation, part.value
        if isinstance(node, ast.Assign):
            targets, annotation, value = node.targets, None, node.value
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                    yield part.attr, annotation, value


def made_of_hosts(expression: ast.AST | None) -> bool:
    """Whether an annotation or a value speaks of sets of hosts."""
    return expression is not None and any(
        isinstance(node, ast.Name) and node.id in HOSTS for node in ast.walk(expression)
    )


def kept(text: str) -> set[str]:
    """The fields of a file in which something is known of hosts."""
    return {
        name
        for name, annotation, value in fields(ast.parse(text))
        if STATES.search(name) or made_of_hosts(annotation) or made_of_hosts(value)
    }


def test_a_scheduler_keeps_nothing_that_the_mirror_knows() -> None:
    modules = [module for module in files() if module.startswith(ROOM)]
    found = {
        f"{module.removeprefix(ROOM)}:{name}" for module in modules for name in kept(files()[module].read_text())
    }
    assert found == set(KNOWN)


def test_such_fields_are_seen() -> None:
    text = """
class A:
    z: HostSet
    def __init__(self):
        self._free = 3
        self.x: dict[str, HostSet] = {}
        self._y = HostPool()
        self.downs = self._asleep_hosts = 1
        self.queue, self.mine = [], 0
        self._nb_running |= 1
"""
    assert kept(text) == {"_free", "x", "z", "_y", "_asleep_hosts", "_nb_running"}
