"""``power.csv`` and ``jobs_carbon.csv``: the electricity of a site over time, and what is due to each job."""

from typing import Final

from windtunnel.model import JobRecord
from windtunnel.results.fields import plain
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder

__all__ = ["JobsCarbonCsv", "PowerCsv"]

_POWER: Final = (
    "time,seconds,machines_watts,devices_watts,losses_watts,overhead_watts,site_watts,carbon_intensity,price,carbon_g,"
    "cost,grid_watts,battery_watts,battery_charge_joules,generation_watts,export_watts,revenue,cap_watts,"
    "excess_watts\n"
)
_JOBS: Final = "job_id,workload_name,carbon_g,cost\n"


class PowerCsv(Recorder):
    """Writes ``power.csv``: means over each quarter of an hour, the last one as far as the run has come."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("power.csv", _POWER)

    def on_power(
        self,
        since: float,
        until: float,
        joules: tuple[float, float, float, float],
        carbon: tuple[float, float] | None,
        price: tuple[float, float] | None,
        stored: tuple[float, float, float] | None,
        sources: tuple[float, float, float] | None,
        capped: tuple[float, float] | None,
    ) -> None:
        """Write a row."""
        seconds = until - since
        machines, devices, supplied, site = (part / seconds for part in joules)
        watts = _digits(machines, devices, supplied - machines - devices, site - supplied, site)
        intensity, grams = ("", "") if carbon is None else (f"{carbon[0] / seconds:f}", f"{carbon[1]:f}")
        mean, cost = ("", "") if price is None else (f"{price[0] / seconds:f}", _money(price[1]))
        taken = 0.0 if stored is None else (stored[0] - stored[1]) / seconds
        battery = "," if stored is None else _digits(taken, stored[2])
        generated, exported, paid = (0.0, 0.0, 0.0) if sources is None else sources
        own = ",," if sources is None else f"{_digits(generated / seconds, exported / seconds)},{_money(paid)}"
        cap = "," if capped is None else _digits(capped[0] / seconds, capped[1] / seconds)
        grid = _digits(site + taken + (exported - generated) / seconds)
        self.rows.add(f"{since:f},{seconds:f},{watts},{intensity},{mean},{grams},{cost},{grid},{battery},{own},{cap}\n")


def _digits(*parts: float) -> str:
    """Numbers of a row, none of them -0.0."""
    return ",".join([f"{round(part, 6) + 0.0:f}" for part in parts])


def _money(amount: float) -> str:
    """All digits that an amount has: a short job may cost less than a millionth, and what jobs cost is added up."""
    return repr(amount + 0.0)


class JobsCarbonCsv(Recorder):
    """Writes ``jobs_carbon.csv``: grams and cost of what the hosts of each job consumed while it had them."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("jobs_carbon.csv", _JOBS, lazy=True)

    def on_bill(self, now: float, record: JobRecord, grams: float | None, cost: float | None) -> None:  # noqa: ARG002
        """Write a row."""
        workload, _, name = record.job_id.partition("!")
        emitted = "" if grams is None else f"{grams:f}"
        self.rows.add(f"{plain(name)},{plain(workload)},{emitted},{'' if cost is None else _money(cost)}\n")
