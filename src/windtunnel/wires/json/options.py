"""Batsim 4's options that its scheduler is told of."""

from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["JsonOptions", "config_of"]


class JsonOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Batsim 4's options that its scheduler is told of."""

    redis: bool = False
    redis_hostname: str = "127.0.0.1"
    redis_port: int = 6379
    redis_prefix: str = "default"
    forward_profiles: bool = False
    dynamic_jobs: bool = False
    acknowledge_dynamic_jobs: bool = False
    profile_reuse: bool = False
    scheduler_config: str = ""
    forward_unknown_events: bool = False

    def config(self) -> dict[str, Any]:
        """The ``config`` object of SIMULATION_BEGINS, in Batsim's order."""
        return {
            "redis-enabled": self.redis,
            "redis-hostname": self.redis_hostname,
            "redis-port": self.redis_port,
            "redis-prefix": self.redis_prefix,
            "profiles-forwarded-on-submission": self.forward_profiles,
            "dynamic-jobs-enabled": self.dynamic_jobs,
            "dynamic-jobs-acknowledged": self.acknowledge_dynamic_jobs,
            "profile-reuse-enabled": self.profile_reuse,
            "sched-config": self.scheduler_config,
            "forward-unknown-events": self.forward_unknown_events,
        }


def config_of(data: Mapping[str, Any]) -> JsonOptions:
    """The options that a ``config`` object tells of (Batsim 3 has fewer of them)."""
    return JsonOptions(
        redis=bool(data.get("redis-enabled", False)),
        redis_hostname=str(data.get("redis-hostname", "127.0.0.1")),
        redis_port=int(data.get("redis-port", 6379)),
        redis_prefix=str(data.get("redis-prefix", "default")),
        forward_profiles=bool(data.get("profiles-forwarded-on-submission", False)),
        dynamic_jobs=bool(data.get("dynamic-jobs-enabled", False)),
        acknowledge_dynamic_jobs=bool(data.get("dynamic-jobs-acknowledged", False)),
        profile_reuse=bool(data.get("profile-reuse-enabled", False)),
        scheduler_config=str(data.get("sched-config", "")),
        forward_unknown_events=bool(data.get("forward-unknown-events", False)),
    )
