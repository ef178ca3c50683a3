"""The file formats of this package: each family declares its own, and none is imported before it is needed."""

from typing import Final

from windtunnel.formats import batsim, elastisim, generated, haizea, sites, slurm, traces, workflows
from windtunnel.formats.format import Format

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    *traces.FORMATS,
    *workflows.FORMATS,
    *haizea.FORMATS,
    *sites.FORMATS,
    *slurm.FORMATS,
    *elastisim.FORMATS,
    *batsim.FORMATS,
    *generated.FORMATS,
)
"""In the order in which they are tried."""
