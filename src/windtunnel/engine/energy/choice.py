"""Which energy a run simulates, if any; a run without energy loads nothing of it."""

from windtunnel.engine.state.world import World

__all__ = ["simulate_energy"]


def simulate_energy(world: World) -> None:
    """Meters, when the options ask for energy."""
    options = world.options
    if not options.energy:
        return
    from windtunnel.engine.energy.accounting import SiteEnergy
    from windtunnel.engine.energy.busy_delays import BusyDelaysEnergy

    world.metered = True
    if world.billing is not None:
        from windtunnel.engine.energy.billed import BilledEnergy

        world.energy = BilledEnergy(world, options.energy_rule, world.billing)
        return
    kind = BusyDelaysEnergy if options.delays_compute else SiteEnergy
    world.energy = kind(world, options.energy_rule)
