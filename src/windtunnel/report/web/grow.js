// A run that grows: columns to which rows are added, with what runs at present behind them; curves made of them.
const emptyRun = (told, rank) => ({ name: told.name, rank, hosts: told.hosts, zero: told.zero, generation: told.generation, from: 0, to: told.now, left_out: 0,
  jobs: { id: [], submitted: [], start: [], finish: [], requested: [], walltime: [], state: [], user: [] },
  stretches: { job: [], start: [], finish: [] }, bars: { host: [], count: [], stretch: [], start: [], finish: [], job: [] },
  states: [], users: [], energy: [], changes: 0, conditions: { kinds: [], spans: [], left_out: 0 }, events: [], submittedWaiting: [], rows: [0, 0, 0], places: new Map(), kept: null });

const codeOf = (names, name) => {
  const known = names.indexOf(name);
  return known >= 0 ? known : names.push(name) - 1;
};

const addJob = (run, [id, submitted, start, finish, requested, walltime, state, user]) => {
  const { jobs } = run;
  run.places.set(id, jobs.id.length);
  const row = { id, submitted, start: start ?? NaN, finish: finish ?? NaN, requested, walltime, state: codeOf(run.states, state), user: codeOf(run.users, user || "") };
  for (const name of Object.keys(jobs)) jobs[name].push(row[name]);
};

const addStretch = (run, job, start, finish, hosts) => {
  const { stretches, bars } = run;
  const rank = stretches.job.push(job) - 1;
  stretches.start.push(start);
  stretches.finish.push(finish);
  for (let i = 0; i < hosts.length; i += 2) {
    for (const [name, value] of [["host", hosts[i]], ["count", hosts[i + 1]], ["stretch", rank], ["start", start], ["finish", finish], ["job", job]]) bars[name].push(value);
  }
};

const cut = (columns, length) => { for (const name of Object.keys(columns)) columns[name].length = length; };

// What was behind the rows goes, the new rows come, and behind them what runs now.
const grow = (run, told) => {
  if (run.kept) {
    for (const id of run.jobs.id.slice(run.kept.jobs)) run.places.delete(id);
    cut(run.jobs, run.kept.jobs); cut(run.stretches, run.kept.stretches); cut(run.bars, run.kept.bars);
  }
  const running = new Map(told.running.map((row) => [row[0], row]));
  for (const row of told.jobs) addJob(run, row);
  const late = run.late || [];
  run.late = [];
  for (const [id, start, finish, ...hosts] of [...late, ...told.stretches]) {
    if (run.places.has(id)) addStretch(run, run.places.get(id), start, finish, hosts);
    else run.late.push([id, start, finish, ...hosts]);  // of a job that is not over
  }
  run.kept = { jobs: run.jobs.id.length, stretches: run.stretches.job.length, bars: run.bars.host.length };
  for (const [id, submitted, requested, walltime, user, start, since, ...hosts] of running.values()) {
    addJob(run, [id, submitted, start, told.now, requested, walltime, "RUNNING", user]);
    addStretch(run, run.places.get(id), since, told.now, hosts);
  }
  for (const [id, start, finish, ...hosts] of run.late) if (run.places.has(id)) addStretch(run, run.places.get(id), start, finish, hosts);
  for (const row of told.energy) run.energy.push(row);
  if (told.conditions) Object.assign(run, { conditions: told.conditions, events: told.events });
  Object.assign(run, { rows: told.rows, changes: told.changes, to: told.now, now: told.now, name: told.name, submittedWaiting: told.submitted, pauses: null, told });
};

// Steps as means over bins: a change counts in part in its own bin, and whole in all later ones.
const BINS = 600;
class Steps {
  constructor(first, last) {
    this.first = first;
    this.width = Math.max(last - first, 1e-9) / BINS;
    this.own = new Float64Array(BINS + 1);
    this.later = new Float64Array(BINS + 1);
  }

  add(time, change) {
    const at = Math.min(Math.max((time - this.first) / this.width, 0), BINS), bin = Math.min(Math.floor(at), BINS - 1);
    this.own[bin] += change * (bin + 1 - at);
    this.later[bin + 1] += change;
  }

  values() {
    const made = new Array(BINS);
    let before = 0;
    for (let i = 0; i < BINS; i += 1) {
      before += this.later[i];
      made[i] = Math.abs(this.own[i] + before) < 1e-9 ? 0 : this.own[i] + before;
    }
    return made;
  }
}

const curvesOf = (run, first, last) => {
  const busy = new Steps(first, last), waiting = new Steps(first, last), { bars, jobs } = run;
  for (let i = 0; i < bars.start.length; i += 1) { busy.add(bars.start[i], bars.count[i]); busy.add(Math.min(bars.finish[i], last), -bars.count[i]); }
  for (let i = 0; i < jobs.id.length; i += 1) if (!Number.isNaN(jobs.start[i])) { waiting.add(jobs.submitted[i], 1); waiting.add(jobs.start[i], -1); }
  for (const submitted of run.submittedWaiting) waiting.add(submitted, 1);
  const made = [{ name: "busy hosts", unit: "", values: busy.values(), top: run.hosts }, { name: "waiting jobs", unit: "", values: waiting.values(), top: null }];
  if (run.energy.length > 1) {
    const power = new Steps(first, last);
    for (let i = 1; i < run.energy.length; i += 1) {
      const [from, before] = run.energy[i - 1], [to, joules] = run.energy[i];
      if (to > from) { power.add(from, (joules - before) / (to - from)); power.add(to, -(joules - before) / (to - from)); }
    }
    made.push({ name: "power", unit: "W", values: power.values(), top: null });
  }
  return made;
};
