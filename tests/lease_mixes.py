"""Random sites, leases and settings for properties of the lease manager."""

from hypothesis import strategies as st

from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseKind, LeaseSite, NodeSet, When
from windtunnel.model.lease_options import (
    Backfilling,
    Exclusion,
    ImageReuse,
    LeaseOptions,
    MigrationMode,
    Preparation,
    SuspensionMode,
    TransferMechanism,
)

SITES = [
    LeaseSite((CPU, MEMORY), (NodeSet(4, {CPU: (100,), MEMORY: (1024,)}),)),
    LeaseSite(
        (CPU, MEMORY), (NodeSet(2, {CPU: (200,), MEMORY: (2048,)}), NodeSet(2, {CPU: (100,), MEMORY: (1024,)}))
    ),
    LeaseSite((CPU, MEMORY), (NodeSet(3, {CPU: (100, 100), MEMORY: (2048,)}),)),
]

options = st.builds(
    LeaseOptions,
    policy_preemption=st.sampled_from(["no-preemption", "ar-preempts-everything"]),
    policy_host_selection=st.sampled_from(["greedy", "no-policy"]),
    backfilling=st.sampled_from([*Backfilling]),
    backfilling_reservations=st.just(2),
    suspension=st.sampled_from([*SuspensionMode]),
    suspendresume_exclusion=st.sampled_from([*Exclusion]),
    migration=st.sampled_from([*MigrationMode]),
    shutdown_time=st.sampled_from([0, 10]),
    enactment_overhead=st.sampled_from([0, 2]),
    scheduling_threshold_factor=st.sampled_from([0, 1, 3]),
    lease_preparation=st.sampled_from([*Preparation]),
    transfer_mechanism=st.sampled_from([*TransferMechanism]),
    avoid_redundant_transfers=st.booleans(),
    diskimage_reuse=st.sampled_from([*ImageReuse]),
    diskimage_cache_size=st.sampled_from([-1, 1500]),
    policy_admission=st.sampled_from(["accept-all", "accept-all", "no-ARs"]),
    suspend_rate=st.sampled_from([32.0, 3.0, 1000.0]),
    override_suspend_time=st.sampled_from([None, None, 0, 5, 100]),
    override_resume_time=st.sampled_from([None, None, 0, 5, 100]),
    force_scheduling_threshold=st.sampled_from([None, None, 0, 10, 500]),
    force_imagetransfer_time=st.sampled_from([None, None, 0, 50]),
    override_memory=st.sampled_from([None, None, 512]),
)


@st.composite
def leases(draw, kinds=tuple(LeaseKind)):
    found = []
    submit = 0
    for number in range(draw(st.integers(1, 9))):
        submit += draw(st.sampled_from([0, 10, 30, 300]))
        duration = draw(st.sampled_from([60, 300, 900, 1000.25]))
        kind = draw(st.sampled_from(kinds))
        start = {LeaseKind.BEST_EFFORT: When.UNSPECIFIED, LeaseKind.IMMEDIATE: When.NOW}.get(kind)
        if start is None:
            start = submit + draw(st.sampled_from([0, 20, 200, 1000]))
        cpu, memory = draw(st.sampled_from([(100, 1024), (50, 512), (50, 1024)]))
        groups = [NodeSet(draw(st.integers(1, 3)), {CPU: (cpu,), MEMORY: (memory,)})]
        if draw(st.booleans()):
            groups.append(NodeSet(1, {CPU: (50,), MEMORY: (256,)}))
        found.append(
            Lease(
                id=number + 1,
                submit=submit,
                nodes=tuple(groups),
                start=start,
                duration=duration,
                real_duration=draw(st.sampled_from([None, None, duration / 2])),
                deadline=start + duration * 4 if kind is LeaseKind.DEADLINE else None,
                preemptible=draw(st.booleans()),
                software=draw(st.sampled_from([None, DiskImage("a", 500), DiskImage("b", 1200)])),
            )
        )
    return found
