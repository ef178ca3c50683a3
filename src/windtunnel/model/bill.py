"""The bill of a site's electricity: what its account comes to at the end of a run."""

import msgspec

__all__ = ["Bill"]


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """The electricity of a site from the first submission to the last end of a job (never trimmed)."""

    machines_joules: float
    """What the machines consumed."""
    devices_joules: float = 0.0
    """What the devices of the supply consumed, such as switches."""
    losses_joules: float = 0.0
    """What the converters of the supply lost."""
    overhead_joules: float = 0.0
    """What the facility consumed besides."""
    site_joules: float = 0.0
    """What the site consumed: machines, devices, losses and overhead."""
    grid_joules: float = 0.0
    """What it took from the grid: what it consumed and exported and its battery took, less what the battery gave and
    the site generated."""
    generated_joules: float | None = None
    """What it generated itself; None, as exports, without generation."""
    exported_joules: float | None = None
    """What it gave to the grid."""
    pue: float | None = None
    """Power usage effectiveness: joules of the site for each joule of machines, devices and losses, which is where
    ISO/IEC 30134-2 meters them."""
    peak_watts: float = 0.0
    """The highest mean of a whole quarter of an hour from second 0 on, of the watts taken from the grid; of shorter
    runs, the mean."""
    carbon_g: float | None = None
    """Grams of CO2 equivalent, of what the site took from the grid; None without carbon intensity."""
    carbon_kind: str = ""
    """Which intensity that is, if its source says so: ``life-cycle``, ``direct``, ``average`` or ``marginal``."""
    cue: float | None = None
    """Carbon usage effectiveness: kg of CO2 equivalent for each kWh of these (ISO/IEC 30134-8)."""
    cost: float | None = None
    """Of what the site took from the grid; None without price."""
    revenue: float | None = None
    """What was paid for its exports; None without a price of them."""
    currency: str = ""
    cap_excess_joules: float | None = None
    """What the machines consumed above their power cap; None, as the following two, without a cap."""
    cap_excess_seconds: float | None = None
    """For how long they drew more."""
    cap_excess_watts: float | None = None
    """By how much, at most."""
    battery_charged_joules: float | None = None
    """What the battery took, at the meter of the site; None, as all that follows, without a battery."""
    battery_given_joules: float | None = None
    """What it gave to the site."""
    battery_losses_joules: float | None = None
    """What it lost in charging and giving."""
    battery_begin_joules: float | None = None
    """What it held at the first submission."""
    battery_end_joules: float | None = None
    """What it held in the end."""
