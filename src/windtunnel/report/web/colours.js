// What the colour of a job means: a number on a scale (wait, size, run time) or one of a few classes (user, state...).
const RAMP = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37]];
const CLASSES = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0], [240, 228, 66], [120, 94, 200]];
const OTHER = [140, 146, 155];
const STATES = { COMPLETED_SUCCESSFULLY: [0, 158, 115], COMPLETED_FAILED: [213, 94, 0], COMPLETED_WALLTIME_REACHED: [230, 159, 0],
  COMPLETED_KILLED: [204, 121, 167], RUNNING: [86, 180, 233] };
const SHADES = 32;
const paint = ([r, g, b]) => `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)})`;

const onRamp = (share) => {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2), part = at - low;
  return RAMP[low].map((value, i) => value + (RAMP[low + 1][i] - value) * part);
};
const shades = Array.from({ length: SHADES }, (_, i) => onRamp(i / (SHADES - 1)));

// Every way gives: a class for each job (an index into `colours`), and what the legend says.
const scaled = (values, low, high, show, told) => {
  const bottom = Math.log(low), width = Math.log(Math.max(high, low * 10)) - bottom;
  const place = (value) => (value <= low ? 0 : Math.min(SHADES - 1, Math.round(((Math.log(value) - bottom) / width) * (SHADES - 1))));
  return { ordered: true, colours: shades, of: values.map(place), told, least: show(low), most: show(Math.max(high, low * 10)), middle: show(Math.exp(bottom + width / 2)) };
};

const classed = (codes, names, weights, told, fixed) => {
  const totals = names.map(() => 0);
  codes.forEach((code, job) => { totals[code] += weights[job]; });
  const order = names.map((_, code) => code).sort((a, b) => totals[b] - totals[a]);
  const shown = fixed ? order.filter((code) => totals[code] > 0) : order.slice(0, CLASSES.length);
  const colours = shown.map((code, rank) => (fixed && fixed[names[code]]) || (fixed ? OTHER : CLASSES[rank]));
  const rank = new Map(shown.map((code, i) => [code, i]));
  const entries = shown.map((code, i) => [names[code] || "(none)", colours[i]]);
  if (shown.length < order.length) entries.push([`${plain(order.length - shown.length)} others`, OTHER]);
  return { ordered: false, colours: [...colours, OTHER], of: Array.from(codes, (code) => (rank.has(code) ? rank.get(code) : colours.length)), told, entries };
};

const maximum = (values) => { let top = 0; for (const value of values) if (value > top) top = value; return top; };

// The ways in which the jobs of a run can be coloured; several runs share the ends of their scales.
const ways = (run, runs) => {
  const { jobs } = run;
  const all = (value) => maximum(runs.map((one) => maximum(value(one))));
  const waits = (one) => Array.from(one.jobs.start, (_, job) => waitOf(one, job));
  const lengths = (one) => Array.from(one.jobs.start, (start, job) => (Number.isNaN(start) ? 0 : one.jobs.finish[job] - start));
  const size = Array.from(jobs.requested);
  const areas = lengths(run).map((length, job) => length * size[job]);
  const made = {
    "waiting time": () => scaled(waits(run), 10, all(waits), duration, "waiting time, logarithmic"),
    size: () => scaled(size, 1, all((one) => one.jobs.requested), (n) => plain(n, 0), "hosts of a job, logarithmic"),
    "run time": () => scaled(lengths(run), 10, all(lengths), duration, "run time, logarithmic"),
    state: () => classed(jobs.state, run.states, areas, "how jobs ended", STATES),
  };
  made.state.names = true;
  if (jobs.user) made.user = () => classed(jobs.user, run.users, areas, "users with the most host-hours");
  if (jobs.queue) made.queue = () => classed(jobs.queue, run.queues, areas, "queues");
  made.job = () => ({ ordered: false, colours: CLASSES, of: jobs.id.map((_, job) => job % CLASSES.length), told: "neighbouring jobs differ in colour", entries: [] });
  return made;
};
