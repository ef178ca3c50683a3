// What is known of a job, and why it waited, in words.
const stateName = (run, job) => run.states[run.jobs.state[job]].toLowerCase().replaceAll("_", " ");

const facts = (run, job) => {
  const { jobs, zero } = run, started = !Number.isNaN(jobs.start[job]);
  const rows = [["state", stateName(run, job)], ["submitted", moment(jobs.submitted[job], zero)]];
  if (started) {
    rows.push(["started", `${moment(jobs.start[job], zero)}, after ${duration(waitOf(run, job))}`],
      ["ended", `${moment(jobs.finish[job], zero)}, after ${duration(jobs.finish[job] - jobs.start[job])}`]);
  }
  rows.push(["asked for", `${plain(jobs.requested[job], 0)} hosts${jobs.walltime[job] >= 0 ? `, ${duration(jobs.walltime[job])}` : ""}`]);
  if (started) rows.push(["hosts", hostsOf(run, job)]);
  if (jobs.user && run.users[jobs.user[job]]) rows.push(["user", run.users[jobs.user[job]]]);
  if (jobs.queue && run.queues[jobs.queue[job]]) rows.push(["queue", run.queues[jobs.queue[job]]]);
  return rows;
};

const hostsOf = (run, job) => {
  const { bars } = run, parts = [];
  for (let i = 0; i < bars.job.length && parts.length < 13; i += 1) {
    if (bars.job[i] === job) parts.push(bars.count[i] > 1 ? `${bars.host[i]}-${bars.host[i] + bars.count[i] - 1}` : `${bars.host[i]}`);
  }
  return parts.length > 12 ? `${parts.slice(0, 12).join(" ")} and more` : parts.join(" ");
};

const reasons = (run, job, told) => {
  const lines = [];
  if (Number.isNaN(run.jobs.start[job])) {
    lines.push(told.requested > run.hosts ? `It can never start: the site has ${plain(run.hosts)} hosts.` : "It did not start.");
    return lines;
  }
  if (!(told.waited > 0)) return ["It did not wait."];
  if (run.left_out) {
    return [`It waited ${duration(told.waited)}. This page leaves out the smaller bars of a very long run, so it cannot say how many hosts were free: windtunnel why RUN ${run.jobs.id[job]} counts all jobs.`];
  }
  lines.push(`It waited ${duration(told.waited)}. Jobs waiting already: ${plain(told.ahead)}. Hosts free meanwhile: ${plain(told.least)} to ${plain(told.most)}.`);
  lines.push(told.enough > 0
    ? `Enough hosts were free for ${duration(told.enough)} of it, first at ${moment(told.first, run.zero)}: there the scheduler's rules kept it waiting, not a lack of hosts.`
    : "At no time were enough hosts free.");
  return lines;
};

const jobLink = (run, job, select, text) => make("li", {}, make("button", { type: "button", onclick: () => select(run, job) }, run.jobs.id[job]), ` ${text}`);

const describe = (panel, run, job, select, several) => {
  const told = why(run, job);
  const list = make("dl", {}, ...facts(run, job).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  const parts = [make("h3", {}, several ? `${run.jobs.id[job]}, ${run.name}` : run.jobs.id[job]), list, make("h4", {}, "Why did it wait?"), ...reasons(run, job, told).map((line) => make("p", {}, line))];
  if (told.waited > 0 && told.holders.length) {
    parts.push(make("p", {}, `${run.left_out ? "Of the jobs shown here, hosts" : "Hosts"} were held by ${plain(told.holders.length)} jobs, most by:`),
      make("ul", {}, ...told.holders.slice(0, 5).map(([other, seconds]) => jobLink(run, other, select, `${plain(seconds / 3600, 1)} host-hours of its wait`))));
  }
  if (told.overtakers.length) {
    parts.push(make("p", {}, `${run.left_out ? "Of those shown here, " : ""}${plain(told.overtakers.length)} jobs submitted later started earlier:`),
      make("ul", {}, ...told.overtakers.slice(0, 5).map((other) => jobLink(run, other, select, `${plain(run.jobs.requested[other], 0)} hosts for ${duration(run.jobs.finish[other] - run.jobs.start[other])}`))));
  }
  parts.push(make("button", { type: "button", onclick: () => select(run, -1) }, "Close"));
  panel.replaceChildren(...parts);
  panel.hidden = false;
};
