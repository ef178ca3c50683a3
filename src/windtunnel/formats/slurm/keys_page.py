"""The page docs/reference/slurm-keys.md: ``python -m windtunnel.formats.slurm.keys_page``."""

import sys
from typing import Final

from windtunnel.formats.slurm.keys import TABLES, KeyTable

__all__ = ["page"]

_HEAD: Final = """\
# Keys of slurm.conf

How each key of `slurm.conf` and `gres.conf` and each item of `SchedulerParameters` and the like is treated.
**Simulated**: it is part of the site. **Irrelevant**: it has no influence on a simulation (ports, logs, plugins that
launch jobs).
**Not simulated**: it may influence decisions, and the account of a run lists it. A key that is in none of these lists
causes a warning with the nearest known name. **Not simulated unless at the default**: the account lists it if it is
set to another value. This page is generated from `windtunnel.formats.slurm.keys`.
"""
_TITLES: Final = {
    "": "Of the cluster",
    "NodeName": "Of nodes",
    "PartitionName": "Of partitions",
    "NodeSet": "Of sets of nodes",
    "DownNodes": "Of nodes that are down",
    "FrontendName": "Of front ends",
    "PowerAction": "Of what saves power",
    "SchedulerParameters": "SchedulerParameters",
    "SelectTypeParameters": "SelectTypeParameters",
    "TopologyParam": "TopologyParam",
    "gres.conf": "gres.conf",
}


def page() -> str:
    """The whole page, in Markdown."""
    return "\n".join([_HEAD, *(_part(title, TABLES[name]) for name, title in _TITLES.items())])


def _part(title: str, table: KeyTable) -> str:
    lists = (
        ("Simulated", table.simulated),
        ("Irrelevant", table.irrelevant),
        ("Not simulated", table.not_simulated),
        ("Not simulated unless at the default", table.at_default),
    )
    told = [
        f"**{what}:** {', '.join(f'`{name}`' for name in sorted(names, key=str.lower))}."
        for what, names in lists
        if names
    ]
    return f"## {title}\n\n" + "\n\n".join(told) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
