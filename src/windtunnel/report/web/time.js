// Times and durations for people; ticks of an axis of time, by the calendar where the run has one (UTC).
const MINUTE = 60, HOUR = 3600, DAY = 86400;
const STEPS = [1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR,
  6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
const NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number) => String(number).padStart(2, "0");

const plain = (value, digits = 2) => value.toLocaleString("en", { maximumFractionDigits: digits });

const duration = (seconds) => {
  if (!Number.isFinite(seconds)) return "-";
  if (seconds < 0) return `-${duration(-seconds)}`;
  if (seconds < 59.995) return `${plain(seconds)} s`;
  const units = [["d", DAY], ["h", HOUR], ["min", MINUTE], ["s", 1]];
  for (let i = 0; i < 3; i += 1) {
    const [name, size] = units[i], [smaller, part] = units[i + 1];
    const parts = Math.round(seconds / part), each = Math.round(size / part);
    const whole = Math.floor(parts / each), rest = parts % each;
    if (whole) return `${plain(whole)} ${name}${rest ? ` ${rest} ${smaller}` : ""}`;
  }
  return `${plain(seconds)} s`;
};

const calendar = (zero) => zero !== null && zero !== undefined;
const moment = (seconds, zero) => {
  if (!Number.isFinite(seconds)) return "-";
  if (!calendar(zero)) return duration(seconds);
  const at = new Date((zero + seconds) * 1000);
  return Number.isNaN(at.getTime()) ? duration(seconds) : at.toISOString().replace("T", " ").slice(0, 19);
};

const niceStep = (raw) => {
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw * (1 - 1e-9));
};

const numberTicks = (low, high, most) => {
  const step = niceStep(Math.max((high - low) / Math.max(most, 1), 1e-12));
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-9) + 0; i * step <= high + step * 1e-6; i += 1) marks.push(i * step || 0);
  return { marks, step };
};

const monthTicks = (from, to, raw) => {
  const step = MONTHS.find((n) => n * 30.4 * DAY >= raw) || niceStep(raw / (365 * DAY)) * 12;
  const marks = [];
  const first = new Date(from * 1000);
  let month = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step) * step;
  for (; marks.length < 200; month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12) / 1000;
    if (at > to) break;
    if (at >= from) marks.push([at, month % 12 && step % 12 ? `${NAMES[month % 12]} ${Math.floor(month / 12)}` : step % 12 ? `Jan ${Math.floor(month / 12)}` : `${Math.floor(month / 12)}`]);
  }
  return marks;
};

const clockLabel = (at, step) => {
  const date = new Date(at * 1000);
  if (at % DAY === 0) return `${date.getUTCDate()} ${NAMES[date.getUTCMonth()]}`;
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${step < MINUTE ? `:${two(date.getUTCSeconds())}` : ""}`;
};

// Ticks [[seconds of the run, label]] for at most so many labels, and what the axis shows.
const timeTicks = (from, to, most, zero) => {
  const raw = Math.max((to - from) / Math.max(most, 1), 1e-9);
  const offset = calendar(zero) ? zero : 0;
  const told = calendar(zero) ? `UTC, from ${moment(from, zero).slice(0, raw < HOUR ? 19 : 10)}` : "since the start";
  if (raw < 1) {
    const { marks, step } = numberTicks(from, to, most);
    const digits = Math.max(0, Math.ceil(-Math.log10(step)));
    return { told, marks: marks.map((mark) => [mark, `${mark.toFixed(digits)} s`]) };
  }
  if (calendar(zero) && raw > 7 * DAY) return { told, marks: monthTicks(from + offset, to + offset, raw).map(([at, label]) => [at - offset, label]) };
  const step = STEPS.find((size) => size >= raw) || niceStep(raw / DAY) * DAY;
  const marks = [];
  for (let at = Math.ceil((from + offset) / step) * step; at <= to + offset; at += step) {
    marks.push([at - offset, calendar(zero) ? clockLabel(at, step) : duration(at)]);
  }
  return { told, marks };
};
