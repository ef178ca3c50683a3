"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { jobs, bars } = data;
  const count = bars.start.length;
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const canvas = document.getElementById("gantt");
  const tip = document.getElementById("tip");
  const left = 58, bottom = 22;
  const span = Math.max(data.to - data.from, 1e-9);
  const whole = () => ({ from: data.from, to: data.from + span, low: 0, high: Math.max(data.hosts, 1) });
  let view = whole();
  let found = -1;

  // Colours: 48 hues, one per value.
  const palette = Array.from({ length: 48 }, (_, i) => `hsl(${(i * 137.508) % 360} ${42 + (i % 3) * 12}% ${46 + (i % 2) * 12}%)`);
  const stateColour = (name) => ({ COMPLETED_SUCCESSFULLY: "#3d9a6a", COMPLETED_FAILED: "#d1495b",
    COMPLETED_WALLTIME_REACHED: "#e8a33d", COMPLETED_KILLED: "#9a3dab" })[name] || "#888";
  const heat = (share) => `hsl(${Math.round(130 - 130 * Math.min(1, share))} 65% 48%)`;
  const waits = jobs.start.map((start, i) => (start === null ? 0 : start - jobs.submitted[i]));
  const longest = waits.reduce((a, b) => Math.max(a, b), 1e-9);
  const ways = {
    job: (job) => palette[job % palette.length],
    state: (job) => stateColour(data.states[jobs.state[job]]),
    waiting: (job) => heat(Math.log1p(waits[job]) / Math.log1p(longest)),
  };
  if (jobs.user) ways.user = (job) => palette[jobs.user[job] % palette.length];
  if (jobs.queue) ways.queue = (job) => palette[jobs.queue[job] % palette.length];
  const choice = document.getElementById("colour");
  for (const name of Object.keys(ways)) choice.add(new Option(name, name));
  let colours = [];
  const recolour = () => { colours = jobs.id.map((_, job) => ways[choice.value](job)); };
  recolour();

  const round = (value, step) => {
    const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step))));
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  };
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const unitOf = (width) => units.find(([size]) => width > 4 * size) || [1, "s"];
  const date = (seconds) => {
    if (data.zero !== null && data.zero !== undefined) {
      return new Date((data.zero + seconds) * 1000).toISOString().replace("T", " ").slice(0, 19);
    }
    return `${round(seconds, 0.01)} s`;
  };

  const prepare = (surface) => {
    const ratio = window.devicePixelRatio || 1;
    const width = surface.clientWidth, height = surface.clientHeight;
    if (surface.width !== Math.round(width * ratio) || surface.height !== Math.round(height * ratio)) {
      surface.width = Math.round(width * ratio);
      surface.height = Math.round(height * ratio);
    }
    const pen = surface.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "11px system-ui, sans-serif";
    return { pen, width, height };
  };

  const ticks = (low, high, most) => {
    const raw = Math.max((high - low) / most, 1e-9);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
    const marks = [];
    for (let mark = Math.ceil(low / step) * step; mark <= high + step * 1e-6; mark += step) marks.push(mark);
    return { marks, step };
  };

  const timeAxis = (pen, width, height) => {
    const [size, unit] = unitOf(view.to - view.from);
    const { marks, step } = ticks(view.from / size, view.to / size, Math.max(2, Math.floor(width / 110)));
    pen.textAlign = "center";
    for (const mark of marks) {
      const x = left + ((mark * size - view.from) / (view.to - view.from)) * (width - left);
      pen.fillStyle = css("--line");
      pen.fillRect(x, 0, 1, height - bottom);
      pen.fillStyle = css("--soft");
      pen.fillText(`${round(mark, step)} ${unit}`, Math.min(Math.max(x, left + 24), width - 24), height - 7);
    }
  };

  const drawGantt = () => {
    const { pen, width, height } = prepare(canvas);
    const tall = height - bottom;
    timeAxis(pen, width, height);
    const perSecond = (width - left) / (view.to - view.from);
    const perHost = tall / (view.high - view.low);
    const gap = perHost > 6 ? 1 : 0;
    pen.save();
    pen.beginPath();
    pen.rect(left, 0, width - left, tall);
    pen.clip();
    const bar = (start, run, host, hosts) => [left + (start - view.from) * perSecond, (host - view.low) * perHost,
      Math.max(run * perSecond, 0.75), Math.max(hosts * perHost - gap, 0.75)];
    pen.fillStyle = css("--line");
    for (const [start, until, host, hosts] of data.away) pen.fillRect(...bar(start, until - start, host, hosts));
    for (let i = 0; i < count; i += 1) {
      const start = bars.start[i], host = bars.host[i];
      if (start > view.to || start + bars.run[i] < view.from || host > view.high || host + bars.count[i] < view.low) continue;
      pen.globalAlpha = found < 0 || bars.job[i] === found ? 1 : 0.25;
      pen.fillStyle = colours[bars.job[i]];
      const [x, y, w, h] = bar(start, bars.run[i], host, bars.count[i]);
      pen.fillRect(x, y, w, h);
      if (w > 60 && h > 12) {
        const text = jobs.id[bars.job[i]];
        if (pen.measureText(text).width < w - 8) {
          pen.fillStyle = "#fff";
          pen.textAlign = "left";
          pen.fillText(text, Math.max(x, left) + 4, y + h / 2 + 4);
        }
      }
    }
    pen.restore();
    pen.textAlign = "right";
    pen.fillStyle = css("--soft");
    const { marks, step } = ticks(view.low, view.high, Math.floor(tall / 40));
    for (const mark of marks) {
      if (mark < data.hosts && (step >= 1 || Number.isInteger(mark))) pen.fillText(round(mark, Math.max(step, 1)), left - 6, Math.min(Math.max((mark - view.low) * perHost + 4, 10), tall));
    }
    pen.save();
    pen.translate(12, tall / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText("host", 0, 0);
    pen.restore();
  };

  const surfaces = data.curves.map((curve) => {
    const surface = document.createElement("canvas");
    surface.setAttribute("role", "img");
    surface.setAttribute("aria-label", `${curve.name} over time`);
    document.getElementById("curves").append(surface);
    return { curve, surface };
  });
  const drawCurve = ({ curve, surface }) => {
    const { pen, width, height } = prepare(surface);
    const tall = height - bottom - 16;
    timeAxis(pen, width, height);
    const bins = curve.values.length, size = span / bins;
    const first = Math.max(0, Math.floor((view.from - data.from) / size));
    const last = Math.min(bins, Math.ceil((view.to - data.from) / size));
    let top = curve.top || 0;
    if (!curve.top) for (let i = first; i < last; i += 1) top = Math.max(top, curve.values[i]);
    top = top || 1;
    const x = (i) => Math.max(left, left + ((data.from + i * size - view.from) / (view.to - view.from)) * (width - left));
    pen.beginPath();
    pen.moveTo(x(first), 16 + tall);
    for (let i = first; i < last; i += 1) {
      const y = 16 + tall * (1 - curve.values[i] / top);
      pen.lineTo(x(i), y);
      pen.lineTo(x(i + 1), y);
    }
    pen.lineTo(x(last), 16 + tall);
    pen.closePath();
    pen.globalAlpha = 0.35;
    pen.fillStyle = css("--mark");
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = css("--mark");
    pen.stroke();
    pen.fillStyle = css("--soft");
    pen.textAlign = "right";
    for (const mark of ticks(0, top, 3).marks) pen.fillText(mark.toLocaleString("en"), left - 6, 16 + tall * (1 - mark / top) + 4);
    pen.fillStyle = css("--ink");
    pen.textAlign = "left";
    pen.fillText(curve.unit ? `${curve.name} (${curve.unit})` : curve.name, left + 4, 11);
  };

  let waiting = false;
  const draw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawGantt(); surfaces.forEach(drawCurve); });
  };

  const limit = () => {
    const all = whole();
    const hold = (low, high, first, last, least) => {
      const size = Math.min(Math.max(high - low, least), last - first);
      const start = Math.min(Math.max(low, first), last - size);
      return [start, start + size];
    };
    [view.from, view.to] = hold(view.from, view.to, all.from, all.to, Math.min(span, 1e-3));
    [view.low, view.high] = hold(view.low, view.high, all.low, all.high, Math.min(1, all.high));
  };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return { x, y, time: view.from + ((x - left) / (box.width - left)) * (view.to - view.from),
      host: view.low + (y / (box.height - bottom)) * (view.high - view.low), box };
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = place(event), factor = Math.exp(Math.sign(event.deltaY || event.deltaX) * 0.2);
    if (event.shiftKey) {
      view.low = at.host - (at.host - view.low) * factor;
      view.high = at.host + (view.high - at.host) * factor;
    } else {
      view.from = at.time - (at.time - view.from) * factor;
      view.to = at.time + (view.to - at.time) * factor;
    }
    limit();
    draw();
  }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = { ...place(event), view: { ...view } }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (drag) {
      const old = drag.view;
      const seconds = ((drag.x - at.x) / (at.box.width - left)) * (old.to - old.from);
      const hosts = ((drag.y - at.y) / (at.box.height - bottom)) * (old.high - old.low);
      view = { from: old.from + seconds, to: old.to + seconds, low: old.low + hosts, high: old.high + hosts };
      limit();
      draw();
      return;
    }
    let hit = -1;
    const slack = (view.to - view.from) / at.box.width;
    for (let i = 0; i < count; i += 1) {
      if (at.time >= bars.start[i] - slack && at.time <= bars.start[i] + bars.run[i] + slack
        && at.host >= bars.host[i] && at.host < bars.host[i] + bars.count[i]) { hit = bars.job[i]; break; }
    }
    tip.hidden = hit < 0;
    if (hit < 0) return;
    const lines = [jobs.id[hit], data.states[jobs.state[hit]].toLowerCase().replaceAll("_", " "),
      `submitted ${date(jobs.submitted[hit])}`, `started   ${date(jobs.start[hit])}`, `ended     ${date(jobs.finish[hit])}`,
      `waited ${round(waits[hit], 0.01)} s, asked for ${jobs.requested[hit]} hosts`];
    if (jobs.walltime[hit] >= 0) lines.push(`walltime ${round(jobs.walltime[hit], 0.01)} s`);
    if (jobs.user) lines.push(`user ${data.users[jobs.user[hit]]}`);
    if (jobs.queue) lines.push(`queue ${data.queues[jobs.queue[hit]]}`);
    tip.textContent = lines.join("\n");
    tip.style.left = `${Math.min(at.x + 14, at.box.width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.min(at.y + 14, at.box.height - tip.offsetHeight - 4)}px`;
  });
  const reset = () => { view = whole(); draw(); };
  canvas.addEventListener("dblclick", reset);
  document.getElementById("reset").addEventListener("click", reset);
  choice.addEventListener("change", () => { recolour(); draw(); });
  document.getElementById("find").addEventListener("input", (event) => {
    const text = event.target.value.trim();
    found = text ? jobs.id.findIndex((id) => id === text || id.endsWith(`!${text}`)) : -1;
    if (found >= 0 && jobs.start[found] !== null) {
      const run = Math.max(jobs.finish[found] - jobs.start[found], span / 1e6);
      view = { ...whole(), from: jobs.start[found] - 4 * run, to: jobs.finish[found] + 4 * run };
      limit();
    }
    draw();
  });
  window.addEventListener("resize", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
