"""A host: what it computes with and draws, its power states, what else it has, and where it stands."""

from collections.abc import Mapping

import msgspec

__all__ = ["Host", "PowerState"]


class PowerState(msgspec.Struct, frozen=True):
    """One power state of a host. Watts are None where the input gives none; speed is flop/s of one core."""

    speed: float
    idle: float | None = None
    epsilon: float | None = None
    """Watts as soon as the load is not zero; equal to ``idle`` where the input gives two values only."""
    full: float | None = None
    """Watts when all cores compute."""


class Host(msgspec.Struct, kw_only=True):
    """A machine that jobs can be given (or a storage)."""

    id: int
    name: str
    cores: int = 1
    pstates: tuple[PowerState, ...] = (PowerState(1e9),)
    pstate: int = 0
    """The power state at the start."""
    sleep_pstates: Mapping[int, tuple[int, int]] = {}
    """sleep pstate -> (virtual pstate while switching off, virtual pstate while switching on)."""
    watts_off: float = 0.0
    storage: bool = False
    resources: Mapping[str, float] = {}
    """Further resources: memory (bytes), gpus (count), anything named."""
    properties: Mapping[str, str] = {}
    zone_properties: Mapping[str, str] = {}
    endpoint: int = -1
    """Its number in the network; -1 without a network."""
    place: tuple[str, ...] = ()
    """From the outside in: datacenter, room, rack."""
    speed_profile: tuple[tuple[float, float], ...] = ()
    """(date, factor) pairs that scale the speed; with ``speed_period`` > 0 they repeat."""
    speed_period: float = 0.0
    state_profile: tuple[tuple[float, float], ...] = ()
    """(date, 0 = off / 1 = on) pairs."""
    state_period: float = 0.0

    @property
    def speed(self) -> float:
        """flop/s of one core in the power state of the start."""
        return self.pstates[self.pstate].speed

    def computes_in(self, pstate: int) -> bool:
        """Whether a power state is one for computing: neither asleep nor on the way."""
        return not self.sleep_pstates or (
            pstate not in self.sleep_pstates and not any(pstate in pair for pair in self.sleep_pstates.values())
        )
