"""batsched's submitter (spec: schedulers.md section 5)."""

from typing import Annotated

from msgspec import Meta

from windtunnel.model import DelayProfile, Job, Request
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import Policy, QueueOrder
from windtunnel.vocabulary import (
    Features,
    FinishRegistration,
    Hello,
    RegisterJob,
    RegisterProfile,
    RejectJob,
    SetJobMetadata,
    SimulationBegins,
)

__all__ = ["Submitter"]


class Submitter(Batsched):
    """Whenever nothing waits and a host is free, registers a job of its own (one host, a delay), until it has
    registered ``nb_jobs_to_submit``.

    Each lasts 10 s more than the one before when ``increase_jobs_duration``. Its profile is registered by itself
    (``send_profiles_in_separate_event``) or with the job, once or each time (``send_profile_if_already_sent``).
    When registrations are acknowledged, its jobs are queued like any other; else they start 10 s later.
    """

    name = "batsched/submitter"

    def __init__(
        self,
        *,
        queue_order: QueueOrder = "fcfs",
        policy: Policy = "basic",
        nb_jobs_to_submit: Annotated[int, Meta(ge=0)] = 10,
        increase_jobs_duration: bool = True,
        send_profile_if_already_sent: bool = False,
        send_profiles_in_separate_event: bool = True,
        set_job_metadata: bool = False,
        acknowledge_dynamic_jobs: bool = True,
        rjms_delay: float = 5.0,
    ) -> None:
        self.nb_jobs_to_submit = nb_jobs_to_submit
        self.increase_jobs_duration = increase_jobs_duration
        self.send_profile_if_already_sent = send_profile_if_already_sent
        self.send_profiles_in_separate_event = send_profiles_in_separate_event
        self.set_job_metadata = set_job_metadata
        self.acknowledge_dynamic_jobs = acknowledge_dynamic_jobs
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        self._acknowledged = self.acknowledge_dynamic_jobs
        self._submitted = 0
        self._finished = False
        self._sent: set[str] = set()

    def hello(self) -> Hello:
        """Asks for dynamic registration, and its acknowledgement if it is to be."""
        super().hello()
        features = Features(
            dynamic_registration=True,
            acknowledge_dynamic_jobs=self.acknowledge_dynamic_jobs,
            profile_reuse=not self.increase_jobs_duration and not self.send_profile_if_already_sent,
        )
        return Hello(name=self.name, features=features)

    def _on_begin(self, notice: SimulationBegins) -> None:
        if not notice.options.get("dynamic-jobs-enabled", True):
            raise self._fault("it registers jobs, and this run does not allow that")
        self._acknowledged = notice.options.get("dynamic-jobs-acknowledged", self.acknowledge_dynamic_jobs)

    def _decide(self, now: float) -> None:
        for job in self._released:
            self._describe(job.id)
            if self._refuses(job):
                self._write(RejectJob(job_id=job.id))
            else:
                self._append(job)
        if self._queue:
            job = self._queue[0][2].job
            hosts = self._pick(self.site.free, job.request.hosts)
            if hosts is not None:
                del self._queue[0]
                self._execute(job, hosts)
        date = now
        if not self._queue and self.site.free and self._submitted < self.nb_jobs_to_submit:
            date = self._submit(now)
        if self._submitted == self.nb_jobs_to_submit and not self._finished:
            self._finished = True
            self._write(FinishRegistration(), date)

    def _describe(self, job_id: str) -> None:
        if self.set_job_metadata:
            self._write(SetJobMetadata(job_id=job_id, metadata=f"just some metadata for job {job_id}"))

    def _submit(self, now: float) -> float:
        """Register one job; the date of the last thing written."""
        delay = 1.0 + (10.0 * self._submitted if self.increase_jobs_duration else 0.0)
        profile = DelayProfile(id=f"dynamic!delay_{delay:f}", delay=_g(delay))
        send = self.send_profile_if_already_sent or profile.id not in self._sent
        self._sent.add(profile.id)
        inline = send and not self.send_profiles_in_separate_event
        if send and not inline:
            self._write(RegisterProfile(profile=profile))
        job = Job(
            id=f"dynamic!{self._submitted}",
            request=Request(1),
            profile=profile,
            submission_time=_g(now),
            walltime=_g(delay + 5),
        )
        self._write(RegisterJob(job=job, profile_id="" if inline else profile.id))
        self._describe(job.id)
        self._submitted += 1
        if self._acknowledged:
            return now
        hosts = self.site.free.pick(1)
        assert hosts is not None
        self._execute(job, hosts, now + 10)
        return now + 10


def _g(value: float) -> float:
    """A number as batsched prints it: six significant digits."""
    return float(f"{value:g}")
