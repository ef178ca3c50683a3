// What the report and the live view share: schedules above each other with one axis of time, curves, legend, search.
const view = { first: 0, last: 1, from: 0, to: 1 };
const gantts = [], curves = [], runs = [];
const panel = document.getElementById("details"), found = document.getElementById("found"), find = document.getElementById("find");
const choice = document.getElementById("colour");
const extent = () => Math.max(view.last - view.first, 1e-9);

const addRun = (run) => {
  runs.push(run);
  const place = document.getElementById("gantts");
  place.classList.toggle("several", runs.length > 1);
  const canvas = make("canvas", { class: "gantt", tabindex: "0", role: "application", "aria-roledescription": "schedule", "aria-describedby": "found" });
  const tip = make("div", { class: "tip", hidden: true }), title = make("h3", { hidden: !run.name }, run.name);
  place.append(make("div", { class: "stage" }, title, canvas, tip));
  const gantt = Object.assign(new Gantt(run, canvas, view), { tip });
  gantts.push(gantt);
  nameCanvas(gantt);
  listen(gantt);
  return gantt;
};
const nameCanvas = ({ run, canvas }) => canvas.setAttribute("aria-label",
  `Schedule${run.name ? ` of ${run.name}` : ""}: ${plain(run.hosts)} hosts, ${plain(run.jobs.id.length)} jobs. The table of jobs below holds the same.`);

const addCurve = (run, rank, curve) => {
  let into = curves.find(({ name }) => name === curve.name);
  if (!into) {
    const surface = make("canvas", { class: "curve", role: "img", "aria-label": `${curve.name} over time` });
    into = { ...curve, lines: [], surface, zero: run.zero };
    const tip = make("div", { class: "tip", hidden: true });
    document.getElementById("curves").append(make("div", { class: "stage" }, surface, tip));
    surface.addEventListener("pointermove", (event) => {
      const box = surface.getBoundingClientRect(), time = view.from + ((event.clientX - box.left - LEFT) / (box.width - LEFT)) * (view.to - view.from);
      tip.hidden = time < view.from;
      tip.textContent = `${moment(time, run.zero)}\n${valueAt(into, view, time)}`;
      tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth - 4)}px`;
      tip.style.top = "20px";
    });
    surface.addEventListener("pointerleave", () => { tip.hidden = true; });
    curves.push(into);
  }
  into.top = into.top === null || curve.top === null ? null : Math.max(into.top, curve.top);
  into.lines.push({ values: curve.values, run: run.name, rank });
};

let waiting = false;
const draw = () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawNow(); });
};
const drawNow = () => { gantts.forEach((gantt) => gantt.draw()); curves.forEach((curve) => drawCurve(curve, view)); };

const offerColours = () => { for (const name of Object.keys(ways(runs[0], runs))) if (![...choice.options].some((option) => option.value === name)) choice.add(new Option(name, name)); };
const recolour = () => {
  for (const gantt of gantts) gantt.way = (ways(gantt.run, runs)[choice.value] || ways(gantt.run, runs)["waiting time"])();
  showLegend();
};
const swatch = (style, text) => make("span", {}, make("i", { style }), text);
const showLegend = () => {
  if (!gantts.length) return;
  const { way } = gantts[0], entries = [make("b", {}, way.told)];
  if (way.ordered) {
    const ramp = `background: linear-gradient(to right, ${RAMP.map(paint).join(", ")})`;
    entries.push(make("span", {}, way.least, make("i", { class: "ramp", style: ramp }), way.most, ` (middle: ${way.middle})`));
  } else for (const [name, colour] of way.entries) entries.push(swatch(`background: ${paint(colour)}`, name.toLowerCase().startsWith("completed_") ? name.toLowerCase().replaceAll("_", " ") : name));
  entries.push(make("span", {}, "paler: only partly in use"));
  for (const kind of new Set(runs.flatMap((run) => run.conditions.kinds))) {
    const [colour, look] = lookOf(kind);
    entries.push(swatch(look === "hatch" ? `background: repeating-linear-gradient(135deg, ${colour} 0 2px, transparent 2px 5px)` : `background: ${colour}; opacity: ${look === "tint" ? 0.6 : 1}`, kind));
  }
  if (runs.some((run) => pausesOf(run).length)) entries.push(make("span", {}, "┄ suspended or moved"));
  if (runs.some((run) => run.events.length)) entries.push(make("span", {}, "▼ event"));
  document.getElementById("legend").replaceChildren(...entries);
};

const hold = (low, high, from, to, least) => {
  const size = Math.min(Math.max(high - low, least), to - from), start = Math.min(Math.max(low, from), to - size);
  return [start, start + size];
};
const limit = (gantt) => {
  [view.from, view.to] = hold(view.from, view.to, view.first, view.last, Math.min(extent(), 1e-3));
  [gantt.low, gantt.high] = hold(gantt.low, gantt.high, 0, Math.max(gantt.run.hosts, 1), Math.min(1, gantt.run.hosts));
};
const zoomTime = (gantt, factor, at = (view.from + view.to) / 2) => {
  [view.from, view.to] = [at - (at - view.from) * factor, at + (view.to - at) * factor];
  limit(gantt);
  draw();
};
const zoomHosts = (gantt, factor, at = (gantt.low + gantt.high) / 2) => {
  [gantt.low, gantt.high] = [at - (at - gantt.low) * factor, at + (gantt.high - at) * factor];
  limit(gantt);
  draw();
};
const pan = (gantt, time, hosts) => {
  view.from += time; view.to += time; gantt.low += hosts; gantt.high += hosts;
  limit(gantt);
  draw();
};
const reset = () => { view.from = view.first; view.to = view.last; gantts.forEach((gantt) => gantt.whole()); draw(); };

const select = (run, job, show = true) => {
  for (const gantt of gantts) gantt.selected = job < 0 ? -1 : gantt.run === run ? job : gantt.run.jobs.id.indexOf(run.jobs.id[job]);
  if (job < 0) panel.hidden = true;
  else {
    describe(panel, run, job, (other, rank) => select(other, rank), runs.length > 1);
    if (show) bring(run, job);
  }
  draw();
};
// A job that is out of sight, or too small to be seen, comes into view.
const bring = (run, job) => {
  const from = run.jobs.submitted[job], to = Number.isNaN(run.jobs.finish[job]) ? from : run.jobs.finish[job];
  const size = view.to - view.from;
  if (from >= view.from && to <= view.to && to - from > size / 60) return;
  const length = Math.max(to - from, extent() / 1e6);
  [view.from, view.to] = [from - length, to + length];
  const gantt = gantts.find((one) => one.run === run);
  gantt.whole();
  limit(gantt);
};

const tipLines = (gantt, at) => {
  const job = gantt.jobAt(at), lines = [];
  if (job >= 0) lines.push(gantt.run.jobs.id[job], ...facts(gantt.run, job).map(([name, value]) => `${name}: ${value}`));
  lines.push(...gantt.conditionsAt(at));
  return lines;
};
const listen = (gantt) => {
  const { canvas, tip } = gantt;
  let drag = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = gantt.at(event), factor = Math.exp(Math.sign(event.deltaY || event.deltaX) * 0.2);
    if (event.shiftKey) zoomHosts(gantt, factor, at.host);
    else zoomTime(gantt, factor, at.time);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => { drag = { ...gantt.at(event), moved: false, last: gantt.at(event) }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) { const job = gantt.jobAt(gantt.at(event)); select(gantt.run, job, false); }
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", (event) => {
    const at = gantt.at(event);
    if (drag) {
      if (Math.abs(at.x - drag.x) + Math.abs(at.y - drag.y) > 4) drag.moved = true;
      if (drag.moved) {
        pan(gantt, ((drag.last.x - at.x) / (at.box.width - LEFT)) * (view.to - view.from), ((drag.last.y - at.y) / (at.box.height - BOTTOM)) * (gantt.high - gantt.low));
        drag.last = at;
      }
      return;
    }
    const lines = at.x > LEFT && at.y < at.box.height - BOTTOM ? tipLines(gantt, at) : [];
    tip.hidden = !lines.length;
    tip.textContent = lines.join("\n");
    tip.style.left = `${Math.max(0, Math.min(at.x + 14, at.box.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${at.y + 18 + canvas.offsetTop}px`;
  });
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("keydown", (event) => {
    const step = (view.to - view.from) / 10, hosts = (gantt.high - gantt.low) / 10, next = { n: 1, N: 1, p: -1, P: -1 }[event.key];
    const act = { ArrowLeft: () => pan(gantt, -step, 0), ArrowRight: () => pan(gantt, step, 0), ArrowUp: () => pan(gantt, 0, -hosts), ArrowDown: () => pan(gantt, 0, hosts),
      "+": () => (event.shiftKey && event.code.startsWith("Numpad") ? zoomHosts(gantt, 0.8) : zoomTime(gantt, 0.8)), "=": () => zoomTime(gantt, 0.8), "*": () => zoomHosts(gantt, 0.8),
      "-": () => zoomTime(gantt, 1.25), _: () => zoomHosts(gantt, 1.25), Home: reset, Escape: () => select(gantt.run, -1) }[event.key];
    if (next) neighbour(gantt, next);
    else if (act) act();
    else return;
    event.preventDefault();
  });
};
// The next job by submission that runs in what is shown.
const neighbour = (gantt, step) => {
  const { jobs } = gantt.run;
  gantt.order ||= jobs.id.map((_, job) => job).filter((job) => !Number.isNaN(jobs.start[job])).sort((a, b) => jobs.start[a] - jobs.start[b]);
  const at = gantt.order.indexOf(gantt.selected);
  const next = at < 0 ? gantt.order.findIndex((job) => jobs.finish[job] >= view.from) : Math.min(Math.max(at + step, 0), gantt.order.length - 1);
  if (next >= 0 && gantt.order.length) select(gantt.run, gantt.order[next]);
};

const search = () => {
  const text = find.value.trim();
  found.classList.remove("none");
  if (!text) { found.textContent = ""; select(runs[0], -1); return; }
  for (const run of runs) {
    const job = run.jobs.id.findIndex((id) => id === text || id.endsWith(`!${text}`));
    if (job >= 0) {
      found.textContent = `found ${run.jobs.id[job]}`;
      select(run, job);
      return;
    }
  }
  found.textContent = `no job is called ${text}${runs.some((run) => run.left_out) ? " (of those shown)" : ""}`;
  found.classList.add("none");
  select(runs[0], -1);
};

const listenToPage = () => {
  document.getElementById("reset").addEventListener("click", reset);
  document.getElementById("closer").addEventListener("click", () => zoomTime(gantts[0], 0.7));
  document.getElementById("farther").addEventListener("click", () => zoomTime(gantts[0], 1 / 0.7));
  choice.addEventListener("change", () => { recolour(); draw(); });
  find.addEventListener("input", search);
  find.addEventListener("change", search);
  window.addEventListener("resize", draw);
  const again = () => { readTheme(); drawNow(); };
  for (const query of ["(prefers-color-scheme: dark)", "print"]) window.matchMedia(query).addEventListener("change", again);
  window.addEventListener("beforeprint", again);
  window.addEventListener("afterprint", again);
};
