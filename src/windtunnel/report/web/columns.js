// Columns of numbers, as packing.py wrote them.
const TYPES = { u1: Uint8Array, u2: Uint16Array, i4: Int32Array, f8: Float64Array };
const NOTHING = -2147483648;

const unpack = (column) => {
  const raw = atob(column.b);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  const numbers = new TYPES[column.t](bytes.buffer);
  if (column.s === 1 && column.t !== "i4") return numbers;
  const made = new Float64Array(numbers.length);
  for (let i = 0; i < made.length; i += 1) made[i] = numbers[i] === NOTHING ? NaN : numbers[i] / column.s;
  return made;
};

const unpackNames = (names) => (names.texts ? names.texts : Array.from(unpack(names.numbers), (number) => `${names.start}${number}`));

// A run as the drawing wants it: columns of jobs, stretches and bars; each bar with its own start, end and job.
const unpackRun = (run) => {
  const jobs = { id: unpackNames(run.jobs.id) };
  for (const name of Object.keys(run.jobs)) if (name !== "id") jobs[name] = unpack(run.jobs[name]);
  const stretches = { job: unpack(run.stretches.job), start: unpack(run.stretches.start), finish: unpack(run.stretches.finish) };
  const bars = { host: unpack(run.bars.host), count: unpack(run.bars.count), stretch: unpack(run.bars.stretch) };
  return { ...run, jobs, stretches, bars: { ...bars, ...barsOf(stretches, bars) } };
};

const barsOf = (stretches, bars) => {
  const count = bars.stretch.length;
  const start = new Float64Array(count), finish = new Float64Array(count), job = new Int32Array(count);
  for (let i = 0; i < count; i += 1) {
    start[i] = stretches.start[bars.stretch[i]];
    finish[i] = stretches.finish[bars.stretch[i]];
    job[i] = stretches.job[bars.stretch[i]];
  }
  return { start, finish, job };
};

const waitOf = (run, job) => (Number.isNaN(run.jobs.start[job]) ? 0 : run.jobs.start[job] - run.jobs.submitted[job]);
