"""Schedulers and workloads in Python may be made of numpy's numbers."""

import pytest

import windtunnel as wt
from windtunnel.model import JobList
from windtunnel.vocabulary import Features, FinishRegistration, RegisterJob, RegisterProfile

numpy = pytest.importorskip("numpy")


class Registering(wt.Scheduler):
    """Registers a job made of numpy's numbers, and starts what there is."""

    features = Features(dynamic_registration=True, acknowledge_dynamic_jobs=True)

    def __init__(self):
        super().__init__()
        self.registered = False

    def schedule(self, view):
        if not self.registered:
            self.registered = True
            profile = wt.DelayProfile(id="dyn!p", delay=numpy.float64(3.0), return_code=numpy.int64(4))
            yield RegisterProfile(profile=profile)
            request = wt.Request(hosts=numpy.int64(2))
            yield RegisterJob(job=wt.Job(id="dyn!1", request=request, profile=profile, walltime=numpy.float64(9.0)))
            yield FinishRegistration()
        free = view.free
        for job in view.queue:
            if hosts := free.pick(int(job.request.hosts)):
                free -= hosts
                yield wt.Execute(job, hosts)


def test_files_hold_plain_numbers(tmp_path):
    profile = wt.DelayProfile(id="w0!p", delay=1.0)
    work = JobList("w0", [wt.Job(id="w0!1", request=wt.Request(1), profile=profile)], {profile.id: profile})
    run = wt.simulate(wt.Platform.uniform(4), work, Registering(), out=tmp_path)
    jobs = {job["id"]: job for job in run.jobs.iter_rows(named=True)}
    assert (jobs["dyn!1"]["requested_number_of_resources"], jobs["dyn!1"]["finish_time"]) == (2, 3.0)
    assert jobs["dyn!1"]["return_code"] == 4
    assert wt.load_run(tmp_path).outcome == "complete"


def test_workloads_of_numpy_numbers(tmp_path):
    profile = wt.DelayProfile(id="w0!p", delay=numpy.float32(2.5))
    times = {"submission_time": numpy.int64(4), "walltime": numpy.float64(9.0)}
    work = JobList("w0", [wt.Job(id="w0!1", request=wt.Request(numpy.int32(2)), profile=profile, **times)])
    wt.simulate(wt.Platform.uniform(4), work, "fcfs", out=tmp_path)
    job = wt.load_run(tmp_path).jobs.row(0, named=True)
    assert (job["submission_time"], job["requested_time"], job["finish_time"]) == (4.0, 9.0, 6.5)
