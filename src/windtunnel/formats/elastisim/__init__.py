"""ElastiSim's files: jobs that may change size, the models of their applications, configurations, platforms."""

from typing import Final

from windtunnel.formats.format import Format

__all__ = ["FORMATS", "looks_like_jobs"]


def looks_like_jobs(head: bytes) -> bool:
    """A JSON object with jobs that name application models."""
    return b'"jobs"' in head and b'"application_model"' in head


FORMATS: Final = (
    Format(
        name="elastisim",
        kind="workload",
        description="ElastiSim's jobs, which may change size, and the models of their applications (JSON)",
        looks_like=looks_like_jobs,
        starts="{",
        reader="windtunnel.formats.elastisim.jobs:read_jobs",
        writer="windtunnel.formats.elastisim.jobs_write:write_jobs",
    ),
)
