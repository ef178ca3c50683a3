"""Application models of ElastiSim: phases of tasks, with every fault told at its place."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from windtunnel.diagnostics import Findings
from windtunnel.formats.elastisim.members import Members, shown
from windtunnel.model.application import (
    Amount,
    Application,
    ComputeTask,
    DelayTask,
    ElasticTask,
    Load,
    Pattern,
    Phase,
    SequenceTask,
    StorageTask,
)
from windtunnel.model.expressions import ExpressionError, hidden_names, unknown_names
from windtunnel.model.spreading import AMONG_GPUS, PAIRS, RANKS

__all__ = ["ApplicationReader", "as_text"]

_TASKS: Final = (
    "idle",
    "busy_wait",
    "cpu",
    "gpu",
    "pfs_read",
    "pfs_write",
    "bb_read",
    "bb_write",
    "sequence",
)
_SIZES: Final = ("num_nodes", "num_gpus_per_node", "num_gpus")
_REQUEST: Final = ("num_nodes_max", "num_nodes_min", "phase_iteration")
_DEEPEST: Final = 50


def as_text(value: float | str) -> str:
    """A number as ElastiSim keeps arguments: whole ones exactly, others with six decimals."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) else f"{value:f}"


class ApplicationReader:
    """Reads the model of one application, as one job (or all jobs of a kind) sees it."""

    def __init__(
        self, findings: Findings, file: str, arguments: Mapping[str, str], *, rigid: bool, nodes: int, gpus: int
    ) -> None:
        self.findings = findings
        self.file = file
        self.arguments = dict(sorted(arguments.items()))
        self.rigid = rigid
        self.nodes = nodes
        """Of a rigid job; else the fewest that it takes."""
        self.gpus = gpus
        """The most of each host."""

    def read(self, value: Any) -> Application:
        """The whole application."""
        members = Members(self.findings, self.file, value)
        once = {key: self._once(members, key) for key in ("on_init", "on_reconfiguration", "on_expansion")}
        given = members.items("phases", needed=True)
        if members.has("phases") and given == [] and isinstance(members.get("phases"), list):
            members.fault("phases", "there is no phase: a job that does nothing crashes ElastiSim")
        phases = tuple(self._phase(one, f"/phases/{rank}") for rank, one in enumerate(given))
        members.rest()
        return Application(phases=phases, **once)

    def _once(self, members: Members, key: str) -> Phase | None:
        if not members.has(key):
            return None
        inner = Members(self.findings, self.file, members.get(key), members.at(key))
        count = inner.whole("iterations", 1)
        tasks = self._tasks(inner, "tasks")
        inner.rest()
        return Phase(tasks=tasks, iterations=count, scheduling_point=False)

    def _phase(self, value: Any, pointer: str) -> Phase:
        members = Members(self.findings, self.file, value, pointer)
        iterations = self._iterations(members, sizes=False)
        if isinstance(iterations, int) and iterations == 0:
            members.fault("iterations", "a phase of no iterations never ends in ElastiSim", "leave the phase out")
        request = members.get("evolving_request")
        if request is not None and not isinstance(request, str):
            hint = f'write it as text: "{request}"' if isinstance(request, int | float) else ""
            members.odd(
                "evolving_request", f"a request must be a string, not {shown(request)}: it has no effect", hint
            )
            request = None
        if request is not None:
            self._check(members, "evolving_request", request, {}, (*_REQUEST, *_SIZES))
        phase = Phase(
            tasks=self._tasks(members, "tasks"),
            iterations=iterations,
            scheduling_point=members.flag("scheduling_point", default=True),
            evolving_request=request,
            barrier=members.flag("barrier", default=True),
        )
        members.rest()
        return phase

    def _tasks(self, members: Members, key: str, depth: int = 0) -> tuple[ElasticTask, ...]:
        found = []
        if depth > _DEEPEST:
            members.fault(key, f"sequences nest deeper than {_DEEPEST} levels")
            return ()
        for rank, value in enumerate(members.items(key, needed=True)):
            inner = Members(self.findings, self.file, value, f"{members.at(key)}/{rank}")
            task = self._task(inner, depth)
            if task is not None:
                found.append(task)
                inner.rest()
        return tuple(found)

    def _task(self, members: Members, depth: int) -> ElasticTask | None:
        kind = members.word("type", _TASKS)
        if not kind:
            return None
        common: dict[str, Any] = {
            "name": members.text("name", ""),
            "iterations": self._iterations(members, sizes=True),
            "synchronized": members.flag("synchronized"),
        }
        if kind == "sequence":
            return SequenceTask(tasks=self._tasks(members, "tasks", depth + 1), **common)
        if kind in ("idle", "busy_wait"):
            load = self._load(members, "delay", "pattern", RANKS, "seconds")
            return None if load is None else DelayTask(load=load, busy=kind == "busy_wait", **common)
        if kind in ("cpu", "gpu"):
            return self._compute(members, common, gpu=kind == "gpu")
        load = self._load(members, "bytes", "pattern", RANKS, "bytes")
        detached = members.flag("async")
        common |= {"write": kind.endswith("write"), "buffer": kind.startswith("bb")}
        return None if load is None else StorageTask(load=load, detached=detached, **common)

    def _compute(self, members: Members, common: dict[str, Any], *, gpu: bool) -> ComputeTask | None:
        flops = moved = None
        coupled = False if gpu else members.flag("coupled")
        if not members.has("flops") and not members.has("bytes"):
            members.fault("", "a task has neither 'flops' nor 'bytes'", code="missing")
            return None
        if members.has("flops"):
            flops = self._load(members, "flops", "computation_pattern", RANKS, "flops")
        if members.has("bytes"):
            moved = self._load(members, "bytes", "communication_pattern", PAIRS, "bytes")
            if gpu and moved is not None and self.gpus > 1 and moved.pattern not in AMONG_GPUS:
                known = ", ".join(sorted(AMONG_GPUS))
                members.fault("communication_pattern", f"several GPUs of a node exchange by {known} only")
        return ComputeTask(flops=flops, bytes=moved, coupled=coupled, gpu=gpu, **common)

    def _iterations(self, members: Members, *, sizes: bool) -> int | str:
        value = members.get("iterations")
        if not members.has("iterations"):
            return 1
        if isinstance(value, str):
            self._check(members, "iterations", value, self.arguments, _SIZES if sizes else (), late=sizes)
            return value
        if isinstance(value, float) and sizes:
            members.odd("iterations", f"{value!r} is not a whole number: it counts as 1, as in ElastiSim")
            return 1
        return members.whole("iterations", 1)

    def _load(self, members: Members, key: str, pattern: str, known: frozenset[Pattern], what: str) -> Load | None:
        words = sorted(known) + (["total"] if known is RANKS else [])
        word = members.word(pattern, words)
        if not members.has(key):
            members.missing(key, f"an amount in {what}")
            return None
        chosen = Pattern("all_ranks" if word == "total" else word) if word else Pattern.UNIFORM
        amount = self._amount(members, key, chosen, what)
        return None if amount is None or not word else Load(amount, chosen)

    def _amount(self, members: Members, key: str, pattern: Pattern, what: str) -> Amount | None:
        value = members.get(key)
        if pattern in (Pattern.VECTOR, Pattern.MATRIX):
            return self._listed(members, key, value, pattern)
        if isinstance(value, str):
            self._check(members, key, value, self.arguments, _SIZES, late=True)
            return value
        number = members.number(key, what=f"a number of {what} or an expression")
        if number < 0 and what != "seconds":
            members.fault(key, f"there are no {value} {what}")
        return number if self.rigid else float(f"{number:f}")

    def _listed(self, members: Members, key: str, value: Any, pattern: Pattern) -> Amount | None:
        if not self.rigid:
            members.fault(key, f"the pattern {pattern} is for rigid jobs: others have no fixed number of ranks")
            return None
        if not isinstance(value, list) or not all(_is_amount(one) for one in value):
            members.fault(key, f"a list of numbers that are not negative is expected, not {shown(value)}")
            return None
        wanted = self.nodes if pattern is Pattern.VECTOR else self.nodes * self.nodes
        if len(value) < wanted:
            members.fault(key, f"{len(value)} numbers are too few for {self.nodes} nodes: {wanted} are expected")
        elif len(value) > wanted:
            members.odd(key, f"of {len(value)} numbers, {wanted} are used for {self.nodes} nodes")
        return tuple(float(one) for one in value)

    def _check(
        self,
        members: Members,
        key: str,
        text: str,
        arguments: Mapping[str, str],
        names: Sequence[str],
        *,
        late: bool = False,
    ) -> None:
        """An expression: whether it can be read, and knows all its names (but those given while the job runs)."""
        known = {**arguments, **dict.fromkeys(names, "3")}
        hidden = [word for word in hidden_names(text, known) if not word.isdigit()]
        try:
            unknown = unknown_names(text, known)
        except ExpressionError as error:
            hint = f"names are replaced as text, also within {', '.join(hidden)}" if hidden else ""
            members.fault(key, str(error), hint, code="expression")
            return
        if unknown and key == "evolving_request":
            message = f"names in {text!r:.80} are not known, and end the run with the request: {', '.join(unknown)}"
            members.odd(key, message, "a request knows no arguments of the job", code="expression")
        elif unknown and (self.rigid or not late):
            members.fault(key, f"names in {text!r:.80} are not known: {', '.join(unknown)}", code="expression")
        for word in hidden:
            if word not in unknown:
                members.odd(key, f"a name is replaced within the word {word!r}, as text", code="replaced-within")


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
