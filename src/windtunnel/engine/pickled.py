"""The state of a simulation as bytes, and back. Loaded by those that save, restore or fork one: few runs do."""

import io
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.diagnostics import UsageError

__all__ = ["as_bytes", "copied", "from_bytes"]


def as_bytes(state: Any, known: Mapping[int, str]) -> bytes:
    """A state without the objects that are known (``id`` -> name), which are shared.

    Raises:
        UsageError: something in it cannot be saved.
    """
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, known).dump(state)
    except (TypeError, pickle.PicklingError, AttributeError) as fault:
        raise UsageError(
            f"this simulation cannot be saved or forked: {fault}",
            "only decision components in process, made of plain data, can be; functions and classes that stand "
            "by themselves in a module or notebook, no lambdas and none within others",
        ) from fault
    return buffer.getvalue()


def from_bytes(data: bytes) -> Any:
    """The state in a file of one's own: what it holds is run."""
    return pickle.loads(data)  # noqa: S301 -- documented where simulations are restored


def copied(state: Any, shared: Sequence[Any]) -> Any:
    """Another state that says the same and shares these objects with it.

    Raises:
        UsageError: something in it cannot be saved.
    """
    known = {id(thing): str(rank) for rank, thing in enumerate(shared)}
    return _Sharing(io.BytesIO(as_bytes(state, known)), shared).load()


class _Pickler(pickle.Pickler):
    """Leaves out what is shared."""

    def __init__(self, file: io.BytesIO, known: Mapping[int, str]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._known = known

    def persistent_id(self, obj: Any) -> str | None:
        """The name of a shared object."""
        return self._known.get(id(obj))


class _Sharing(pickle.Unpickler):
    """Puts what is shared back in."""

    def __init__(self, file: io.BytesIO, inputs: Sequence[Any]) -> None:
        super().__init__(file)
        self._inputs = inputs

    def persistent_load(self, pid: str) -> Any:
        """The shared object of this name."""
        return self._inputs[int(pid)]
