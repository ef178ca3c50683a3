"""Platforms of SimGrid for Batsim's command lines."""

from collections.abc import Sequence
from math import inf
from typing import Any

from windtunnel.diagnostics import UsageError

__all__ = ["read_simgrid", "with_sg_cfg"]


def read_simgrid(file: str, **options: Any) -> Any:
    """The platform in a SimGrid file, with options of its reader.

    Raises:
        UsageError: it is another kind of platform, which has no master and no roles.
    """
    from windtunnel.formats.recognition import find_format
    from windtunnel.formats.registry import read_platform
    from windtunnel.formats.sites import is_host_spec

    kind = "a shorthand" if is_host_spec(file) else find_format(file, "platform").name
    if kind != "simgrid":
        raise UsageError(
            f"Batsim's platforms are SimGrid files, and {file!r} is {kind}",
            "windtunnel run takes all platforms, and the same schedulers: --scheduler tcp://..., lib:..., "
            "batprotocol+tcp://...",
        )
    return read_platform(file, **options)


def with_sg_cfg(platform: Any, items: Sequence[str]) -> Any:
    """The platform with SimGrid's settings in it: those that mean something here.

    Raises:
        UsageError: one does not.
    """
    config = dict(platform.config)
    for item in items:
        key, colon, value = item.partition(":")
        if not colon or key.replace("_", "-") != "network/TCP-gamma":
            raise UsageError(f"--sg-cfg {item!r} is not supported: only network/TCP-gamma:VALUE is supported")
        try:
            gamma = float(value)
        except ValueError:
            gamma = 0.0
        if not 0 < gamma < inf:
            raise UsageError(f"--sg-cfg {item!r}: a number of bytes is expected")
        config["network/TCP-gamma"] = value
    platform.config = config
    return platform
