"""What becomes of each key of slurm.conf: simulated, known to be irrelevant, or not simulated.

The reader tells what is not simulated, and what nobody knows; the reference in the documentation is drawn up from
these tables.
"""

from typing import Final

import msgspec

from windtunnel.diagnostics import Severity, did_you_mean
from windtunnel.formats.slurm.lines import Line

__all__ = ["TABLES", "KeyTable", "tell_words"]


class KeyTable(msgspec.Struct, frozen=True):
    """The keys (or words of a list) of one kind of line, in Slurm's spelling."""

    what: str
    simulated: tuple[str, ...]
    irrelevant: tuple[str, ...] = ()
    """They change nothing that a simulation shows."""
    not_simulated: tuple[str, ...] = ()
    """They may change decisions; the account of a run names them."""
    at_default: tuple[str, ...] = ()
    """They may change decisions where they are set to more than the default: then the account of a run names them."""
    begins: bool = True
    """False for the lines of slurm.conf that begin with no word of their own."""

    def known(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.simulated, *self.irrelevant, *self.not_simulated, *self.at_default)

    def tell(self, line: Line) -> None:
        """Note the keys of a line that nothing comes of."""
        for key, written in line.written.items():
            if not self.tell_one(line, key, written) and not self.begins:
                break  # a line that begins with a misspelt word is none of ours

    def tell_one(self, line: Line, key: str, written: str, within: str = "") -> bool:
        """Note a key, or a word within a key, (in small letters and as written) if nothing comes of it.

        Returns:
            Whether it is known.
        """
        if any(key in _lower(names) for names in (self.simulated, self.irrelevant, self.at_default)):
            return True
        if key in _lower(self.not_simulated):
            line.note(f"{written}{within and f' in {within}'} is not simulated", "ignored", Severity.WARNING)
            return True
        message = f"{within or self.what} has no {written}: it has no effect"
        line.note(message, "unknown-key", Severity.WARNING, self._hint(key, written))
        return False

    def _hint(self, key: str, written: str) -> str:
        """Where an unknown key belongs, or what it may have been meant for."""
        elsewhere = [name for name, table in TABLES.items() if table is not self and key in _lower(table.known())]
        if elsewhere:
            return f"it belongs to {elsewhere[0] or 'the cluster as a whole'}"
        if key in _lower(_CGROUP):
            return "it belongs to cgroup.conf"
        others = () if self.begins else ("NodeName", "PartitionName", "Include")
        hint = did_you_mean(written, (*self.known(), *others))
        return hint if hint.startswith("did") else ""


_LOWER: dict[tuple[str, ...], frozenset[str]] = {}


def _lower(names: tuple[str, ...]) -> frozenset[str]:
    found = _LOWER.get(names)
    if found is None:
        found = _LOWER[names] = frozenset(name.lower() for name in names)
    return found


_CGROUP: Final = (
    *("AllowedDevicesFile", "AllowedKmemSpace", "AllowedRAMSpace", "AllowedSwapSpace", "CgroupAutomount"),
    *("CgroupMountpoint", "CgroupReleaseAgentDir", "ConstrainCores", "ConstrainDevices", "ConstrainKmemSpace"),
    *("ConstrainRAMSpace", "ConstrainSwapSpace", "EnableControllers", "IgnoreSystemd", "MaxKmemPercent"),
    *("MaxRAMPercent", "MaxSwapPercent", "MemorySwappiness", "MinKmemSpace", "MinRAMSpace", "TaskAffinity"),
)


def tell_words(table: str, line: Line, key: str) -> None:
    """Note the words of a list (such as SchedulerParameters) that nothing comes of."""
    for word in line.words(key):
        name = word.partition("=")[0]
        TABLES[table].tell_one(line, name.lower(), name, within=key if table else "")


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TABLES: Final = {
    "": KeyTable(
        "slurm.conf",
        begins=False,
        simulated=_names(
            "AccountingStorageEnforce AccountingStorageTRES AccountingStorageType ClusterName DefCpuPerGPU "
            "DefMemPerCPU DefMemPerGPU DefMemPerNode EnforcePartLimits FairShareDampeningFactor JobRequeue KillWait "
            "Licenses MaxMemPerCPU MaxMemPerNode MessageTimeout OverTimeLimit PreemptExemptTime PreemptMode "
            "PreemptType PriorityCalcPeriod PriorityDecayHalfLife PriorityFavorSmall PriorityFlags PriorityMaxAge "
            "PriorityType PriorityUsageResetPeriod PriorityWeightAge PriorityWeightAssoc PriorityWeightFairshare "
            "PriorityWeightJobSize PriorityWeightPartition PriorityWeightQOS PriorityWeightTRES SchedulerParameters "
            "ResvOverRun SchedulerTimeSlice SchedulerType SelectType SelectTypeParameters TopologyParam "
            "TopologyPlugin"
        ),
        irrelevant=_names(
            "AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost "
            "AccountingStorageParameters AccountingStoragePass AccountingStoragePort "
            "AccountingStorageUser AccountingStoreFlags AccountingStoreJobComment AcctGatherEnergyType "
            "AcctGatherFilesystemType AcctGatherInterconnectType AcctGatherInfinibandType AcctGatherNodeFreq "
            "AcctGatherProfileType AllowSpecResourcesUsage AuthAltParameters AuthAltTypes AuthInfo AuthType "
            "BackupAddr BackupController BatchStartTimeout BcastExclude BcastParameters CacheGroups "
            "CertgenType CertmgrType CgroupPlugin CheckpointType CliFilterParameters CliFilterPlugins "
            "CommunicationParameters CompleteWait ContainerType ControlAddr ControlMachine CoreSpecPlugin CpuFreqDef "
            "CpuFreqGovernors CredType CryptoType DataParserParameters DebugFlags DisableRootJobs EioTimeout Epilog "
            "EpilogMsgTime EpilogSlurmctld EpilogTimeout ExtSensorsFreq ExtSensorsType FirstJobId "
            "GetEnvTimeout GpuFreqDef GresTypes GroupUpdateForce GroupUpdateTime HashPlugin HealthCheckInterval "
            "HealthCheckNodeState HealthCheckProgram HttpParserType InactiveLimit InteractiveStepOptions "
            "JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType JobCompHost JobCompLoc JobCompParams "
            "JobCompPass JobCompPassScript JobCompPort JobCompType JobCompUser JobContainerPlugin JobContainerType "
            "JobCredentialPrivateKey JobCredentialPublicCertificate JobFileAppend KeepAliveTime KillOnBadExit "
            "LaunchParameters LaunchType LogTimeFormat MailDomain MailProg MaxBatchRequeue MaxDBDMsgs MaxJobId "
            "MaxStepCount MaxTasksPerNode MetricsType MinJobAge MpiDefault MpiParams NamespaceType "
            "PluginDir PlugStackConfig PrEpParameters PrEpPlugins PriorityParameters PrivateData ProctrackType "
            "Prolog PrologEpilogTimeout PrologFlags PrologSlurmctld PrologTimeout PropagatePrioProcess "
            "PropagateResourceLimits PropagateResourceLimitsExcept RebootProgram ReconfigFlags "
            "RequeueExit RequeueExitHold ReturnToService RoutePlugin SallocDefaultCommand SchedulerPort "
            "SchedulerRootFilter "
            "ScronParameters SlurmctldAddr SlurmctldDebug "
            "SlurmctldHost SlurmctldLogFile SlurmctldParameters SlurmctldPidFile SlurmctldPlugstack SlurmctldPort "
            "SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SlurmctldSyslogDebug SlurmctldTimeout SlurmdDebug "
            "SlurmdLogFile SlurmdParameters SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdSyslogDebug SlurmdTimeout "
            "SlurmdUser SlurmSchedLogFile SlurmSchedLogLevel SlurmUser SrunEpilog SrunPortRange SrunProlog "
            "StateSaveLocation SwitchParameters SwitchType TaskEpilog TaskPlugin TaskPluginParam TaskProlog "
            "TCPTimeout TLSParameters TLSType TmpFS TrackWCKey TreeWidth UnkillableStepProgram UnkillableStepTimeout "
            "UrlParserType UsePAM VSizeFactor WaitTime X11Parameters BOOT_TIME HASH_VAL NEXT_JOB_ID SLURM_CONF "
            "SLURM_VERSION AccountingStorageLoc CertgenParameters CertmgrParameters ChosLoc DefRuntimePlugin "
            "DefaultStorageHost DefaultStorageLoc DefaultStoragePass DefaultStoragePort DefaultStorageType "
            "DefaultStorageUser DynAllocPort HealthCheckTimeout JobCheckpointDir Layouts MemLimitEnforce "
            "MetricsAuthUsers MetricsParameters "
            "MsgAggregationParams SbcastParameters SchedulerAuth SerializerParameters SerializerPlugins "
            "SlurmctldHttpAuthParameters SlurmdHttpAuthParameters SlurmdPlugstack SlurmrestdHttpAuthParameters "
            "SlurmrestdParameters SlurmstepdParameters"
        ),
        not_simulated=_names(
            "BurstBufferParameters BurstBufferType DependencyParameters DynamicPartitions "
            "FederationParameters GangScheduling JobSubmitPlugins LicenseParameters MaxNodeCount MCSParameters "
            "MCSPlugin NodeFeaturesPlugins "
            "PowerParameters PowerPlugin PreemptParameters PrioritySiteFactorParameters PrioritySiteFactorPlugin "
            "ResumeFailProgram ResumeProgram ResumeRate ResumeTimeout ResvEpilog "
            "ResvProlog SuspendExcNodes SuspendExcParts SuspendExcStates SuspendProgram SuspendRate SuspendTime "
            "SuspendTimeout"
        ),
        at_default=_names("FastSchedule MaxArraySize MaxJobCount"),
    ),
    "NodeName": KeyTable(
        "NodeName",
        simulated=_names(
            "NodeName Boards CoresPerSocket CoreSpecCount CPUs Feature Features Gres MemSpecLimit Procs RealMemory "
            "Reason Sockets SocketsPerBoard State ThreadsPerCore TmpDisk Weight"
        ),
        irrelevant=_names(
            "BcastAddr NodeAddr NodeHostname Port Parameters RestrictedCoresPerGPU TRESWeights"
        ),
        not_simulated=_names("CpuBind CPUSpecList GresConf SuspendTime Topology"),
    ),
    "PartitionName": KeyTable(
        "PartitionName",
        simulated=_names(
            "PartitionName AllowAccounts AllowQos DefaultTime Default DefCpuPerGPU DefMemPerCPU DefMemPerGPU "
            "DefMemPerNode DenyAccounts DenyQos Exclusive ExclusiveUser GraceTime JobDefaults LLN MaxCPUsPerNode "
            "MaxMemPerCPU MaxMemPerNode MaxNodes MaxTime MinNodes Nodes OverSubscribe OverTimeLimit PreemptMode "
            "Priority PriorityJobFactor PriorityTier QOS ReqResv RootOnly Shared State TRESBillingWeights"
        ),
        irrelevant=_names("AllocNodes DisableRootJobs Hidden"),
        at_default=_names("AllowGroups"),
        not_simulated=_names(
            "Alternate CpuBind ExclusiveTopo MaxCPUsPerSocket PowerDownOnIdle ResumeTimeout SelectTypeParameters "
            "SuspendTime SuspendTimeout Topology"
        ),
    ),
    "NodeSet": KeyTable("NodeSet", simulated=_names("NodeSet Feature Nodes")),
    "DownNodes": KeyTable("DownNodes", simulated=_names("DownNodes Reason State")),
    "FrontendName": KeyTable(
        "FrontendName",
        simulated=(),
        irrelevant=_names("FrontendName AllowGroups AllowUsers DenyGroups DenyUsers FrontendAddr Port Reason State"),
    ),
    "PowerAction": KeyTable(
        "PowerAction", simulated=(), irrelevant=_names("Location Program"), not_simulated=_names("PowerAction")
    ),
    "SchedulerParameters": KeyTable(
        "SchedulerParameters",
        simulated=_names(
            "assoc_limit_stop batch_sched_delay bf_busy_nodes bf_hetjob_prio bf_interval bf_job_part_count_reserve "
            "bf_licenses bf_max_job_array_resv bf_max_job_assoc bf_max_job_part bf_max_job_start bf_max_job_test "
            "bf_max_job_user bf_max_job_user_part bf_min_age_reserve bf_min_prio_reserve bf_node_space_size "
            "bf_one_resv_per_job bf_resolution bf_running_job_reserve bf_window bf_window_linear default_queue_depth "
            "ignore_prefer_validation kill_invalid_depend max_switch_wait pack_serial_at_end partition_job_depth "
            "preempt_reorder_count preempt_strict_order preempt_youngest_first sched_interval sched_max_job_start"
        ),
        irrelevant=_names(
            "bf_max_time bf_yield_interval bf_yield_rpc_cnt bf_yield_sleep bf_yield_rpc max_rpc_cnt max_sched_time "
            "max_script_size max_submit_line_size sched_min_interval salloc_wait_nodes sbatch_wait_nodes "
            "jobs_per_rpc default_gbytes Ignore_NUMA max_array_tasks spec_cores_first "
            "requeue_setup_env_fail step_retry_count step_retry_time build_queue_timeout correspond_after_task_cnt "
            "delay_boot user_resv_delete nohold_on_prolog_fail "
            "bf_continue defer inventory_interval requeue_on_resume_failure"
        ),
        not_simulated=_names(
            "allow_zero_lic bb_array_stage_cnt bf_allow_magnetic_slot bf_hetjob_immediate "
            "bf_ignore_newly_avail_nodes bf_topopt_enable bf_topopt_iterations defer_batch disable_hetjob_steps "
            "disable_job_shrink disable_user_top enable_hetjob_steps enable_job_shrink enable_job_state_cache "
            "enable_user_top extra_constraints bf_max_job_user_assoc bf_window_ts gs_max_jobs_per_partition "
            "hetjob_prio ignore_constraint_validation ignore_spare_nodes max_depend_depth "
            "nohold_on_prolog max_job_bf no_backup_scheduling "
            "no_env_cache Whole_Hetjob reduce_completing_frag sched_max_job_array interval preempt_send_user_signal "
            "reorder_count strict_order youngest_first suspend_grace_time time_min_as_soft_limit "
            "disable_hetero_steps enable_hetero_steps permit_job_expansion requeue_delay whole_pack"
        ),
    ),
    "SelectTypeParameters": KeyTable(
        "SelectTypeParameters",
        simulated=_names(
            "CR_Core CR_Core_Memory CR_CPU CR_CPU_Memory CR_Memory CR_Socket CR_Socket_Memory CR_LLN CR_Pack_Nodes "
            "CR_One_Task_Per_Core CR_CORE_DEFAULT_DIST_BLOCK OTHER_CONS_RES OTHER_CONS_TRES NONE"
        ),
        not_simulated=_names(
            "CR_OTHER_CONS_RES ENFORCE_BINDING_GRES LL_SHARED_GRES MULTIPLE_SHARING_GRES_PJ ONE_TASK_PER_SHARING_GRES"
        ),
    ),
    "TopologyParam": KeyTable(
        "TopologyParam",
        simulated=_names("TopoOptional"),
        irrelevant=_names("BlockAsNodeRank NoCtldInAddrAny NoInAddrAny RoutePart RouteTree TopoMaxSizeUnroll"),
        not_simulated=_names("Dragonfly SwitchAsNodeRank"),
    ),
    "gres.conf": KeyTable(
        "gres.conf",
        simulated=_names("NodeName Name Type Count File Files Cores CPUs"),
        irrelevant=_names("MultipleFiles Ignore"),
        not_simulated=_names("AutoDetect Flags Link Links"),
    ),
}
"""By what a line begins with, or the list that words stand in; "" is all other lines of slurm.conf."""
