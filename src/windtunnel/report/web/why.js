// Why a job waited, from what the page holds: how many hosts were free while it did, who held them, who overtook it.
// The same questions as `windtunnel why` asks; hosts that jobs share are free when nobody is on them.
const why = (run, job) => {
  const { jobs, bars, stretches } = run;
  const submitted = jobs.submitted[job], started = jobs.start[job];
  const until = Number.isNaN(started) ? submitted : started;
  const overtakers = [];
  let ahead = 0;
  for (let i = 0; i < jobs.start.length; i += 1) {
    if (i === job || Number.isNaN(jobs.start[i])) continue;
    if (jobs.submitted[i] > submitted && jobs.start[i] < until) overtakers.push(i);
    if (jobs.submitted[i] < submitted && jobs.start[i] > submitted) ahead += 1;
  }
  overtakers.sort((a, b) => jobs.start[a] - jobs.start[b] || (jobs.id[a] < jobs.id[b] ? -1 : 1));
  return { submitted, until, waited: until - submitted, requested: jobs.requested[job], ahead, overtakers, ...holders(run, job, submitted, until), ...freeHosts(run, job, submitted, until, stretches, bars) };
};

const holders = (run, job, submitted, until) => {
  const { bars } = run, held = new Map();
  for (let i = 0; i < bars.start.length; i += 1) {
    const overlap = Math.min(bars.finish[i], until) - Math.max(bars.start[i], submitted);
    if (overlap > 0 && bars.job[i] !== job) held.set(bars.job[i], (held.get(bars.job[i]) || 0) + overlap * bars.count[i]);
  }
  return { holders: [...held].sort((a, b) => b[1] - a[1]) };
};

const freeHosts = (run, job, submitted, until) => {
  const { bars } = run, changes = [];
  const add = (start, finish, host, hosts) => {
    if (start >= until || finish <= submitted) return;
    changes.push([Math.max(start, submitted), 1, host, hosts], [finish, -1, host, hosts]);
  };
  for (let i = 0; i < bars.start.length; i += 1) if (bars.job[i] !== job) add(bars.start[i], bars.finish[i], bars.host[i], bars.count[i]);
  const { kinds, spans } = run.conditions;
  for (const [start, finish, host, hosts, kind] of spans) if (nobodys(kinds[kind])) add(start, finish, host, hosts);
  changes.sort((a, b) => a[0] - b[0]);
  const held = new Int16Array(run.hosts);
  let free = run.hosts, least = Infinity, most = 0, enough = 0, first = NaN, now = submitted, i = 0;
  while (now < until) {
    for (; i < changes.length && changes[i][0] <= now; i += 1) {
      const [, sign, host, hosts] = changes[i];
      for (let at = host; at < host + hosts; at += 1) {
        const before = held[at];
        held[at] += sign;
        free += (before > 0) - (held[at] > 0);
      }
    }
    const next = i < changes.length ? Math.min(changes[i][0], until) : until;
    least = Math.min(least, free);
    most = Math.max(most, free);
    if (free >= run.jobs.requested[job]) {
      if (!enough) first = now;
      enough += next - now;
    }
    now = next;
  }
  return { least, most, enough, first };
};
