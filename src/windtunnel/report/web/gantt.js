// The picture of a schedule: hosts over time. What is too small for a bar of its own is added up, in cells of two by two
// pixels: how strong a cell is says which share of its hosts and time is in use, its colour what the jobs in it have in
// common (the mean on a scale; of classes the one with the most of it).
const CELL = 2, WIDE = 4, TALL = 3;
const LOOKS = { failure: ["#d03a2f", "hatch"], maintenance: ["#d99a1b", "hatch"], unavailable: ["#8b5d33", "hatch"], halt: ["#7a2f8f", "hatch"],
  "switching on": ["#3aa06a", "tint"], "switching off": ["#5d7fb5", "tint"], Suspension: ["#c0392b", "thin"], Resumption: ["#1e8449", "thin"],
  Shutdown: ["#7f8c8d", "thin"], MemImageMigration: ["#8e44ad", "thin"], DiskImageMigration: ["#d35400", "thin"], FileTransfer: ["#2471a3", "thin"] };
// Hosts that are reserved may be used by some, and count as free; what is hatched nobody can use, nor what sleeps.
const nobodys = (kind) => lookOf(kind)[1] === "hatch" || /^(asleep|switching)/.test(kind);
const lookOf = (kind) => LOOKS[kind] || (/^(power state|asleep)/.test(kind) ? ["#56606e", "tint"] : kind.startsWith("reservation ") ? ["#b58ad6", "tint"] : /maint/i.test(kind) ? ["#d99a1b", "hatch"] : ["#8b5d33", "hatch"]);

const hatch = (pen, colour) => {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const inner = tile.getContext("2d");
  inner.strokeStyle = colour;
  inner.lineWidth = 1.6;
  inner.beginPath();
  for (const [a, b] of [[-1, 1], [5, 7], [-1, 7]]) { inner.moveTo(a, b); inner.lineTo(b, a); }
  inner.stroke();
  return pen.createPattern(tile, "repeat");
};

class Gantt {
  constructor(run, canvas, shared) {
    Object.assign(this, { run, canvas, shared, low: 0, high: Math.max(run.hosts, 1), way: null, selected: -1, frames: 0 });
    this.grid = document.createElement("canvas");
    this.patterns = {};
  }

  whole() { this.low = 0; this.high = Math.max(this.run.hosts, 1); }

  scale() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    return { perSecond: (width - LEFT) / (this.shared.to - this.shared.from), perHost: (height - BOTTOM) / (this.high - this.low), width, height, tall: height - BOTTOM };
  }

  draw() {
    if (this.canvas.clientHeight <= BOTTOM || this.canvas.clientWidth <= LEFT) return;
    const { pen, width, height } = prepare(this.canvas);
    const { perSecond, perHost, tall } = this.scale();
    timeAxis(pen, width, height, this.shared, this.run.zero);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, width - LEFT, tall);
    pen.clip();
    this.drawConditions(pen, perSecond, perHost, false);
    const large = this.drawDensity(pen, perSecond, perHost, width - LEFT, tall);
    this.drawBars(pen, large, perSecond, perHost);
    this.drawConditions(pen, perSecond, perHost, true);
    this.drawPauses(pen, perSecond, perHost);
    this.drawSelected(pen, perSecond, perHost);
    pen.restore();
    this.drawHosts(pen, perHost, tall);
    this.frames += 1;
  }

  // Bars that are wide and tall enough come back; the others are added up in cells and painted.
  drawDensity(pen, perSecond, perHost, width, tall) {
    const { bars } = this.run, { from, to } = this.shared, { low, high, way } = this;
    const columns = Math.ceil(width / CELL), rows = Math.ceil(tall / CELL);
    const cells = columns * rows;
    if (!this.cover || this.cover.length !== cells) {
      this.cover = new Float32Array(cells);
      this.sum = new Float32Array(cells);
      this.best = new Int16Array(cells);
    }
    const { cover, sum, best } = this;
    cover.fill(0); sum.fill(0);
    const sx = perSecond / CELL, sy = perHost / CELL, large = [], ordered = way.ordered, of = way.of, count = bars.start.length;
    for (let i = 0; i < count; i += 1) {
      const start = bars.start[i], finish = bars.finish[i], host = bars.host[i], hosts = bars.count[i];
      if (start > to || finish < from || host > high || host + hosts < low) continue;
      if ((finish - start) * perSecond >= WIDE && hosts * perHost >= TALL) { large.push(i); continue; }
      const x0 = Math.max((start - from) * sx, 0), x1 = Math.min((finish - from) * sx, columns);
      const y0 = Math.max((host - low) * sy, 0), y1 = Math.min((host + hosts - low) * sy, rows);
      const shade = of[bars.job[i]];
      const right = Math.min(Math.floor(x1), columns - 1), foot = Math.min(Math.floor(y1), rows - 1);
      for (let y = Math.floor(y0); y <= foot; y += 1) {
        const part = Math.min(y1, y + 1) - Math.max(y0, y);
        for (let x = Math.floor(x0), cell = y * columns + x; x <= right; x += 1, cell += 1) {
          const weight = part * (Math.min(x1, x + 1) - Math.max(x0, x));
          cover[cell] += weight;
          if (ordered) sum[cell] += weight * shade;
          else if (best[cell] === shade || sum[cell] <= 0) { best[cell] = shade; sum[cell] += weight; }
          else if ((sum[cell] -= weight) < 0) { best[cell] = shade; sum[cell] = -sum[cell]; }
        }
      }
    }
    this.paintCells(columns, rows);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.grid, LEFT, 0, columns * CELL, rows * CELL);
    return large;
  }

  paintCells(columns, rows) {
    if (this.grid.width !== columns || this.grid.height !== rows) { this.grid.width = columns; this.grid.height = rows; this.picture = null; }
    const inner = this.grid.getContext("2d");
    if (!this.picture) this.picture = inner.createImageData(columns, rows);
    const pixels = new Uint32Array(this.picture.data.buffer), { cover, sum, best, way } = this;
    const words = way.colours.map(([r, g, b]) => (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r));
    const dim = this.selected >= 0 ? 0.45 : 1;
    for (let cell = 0; cell < pixels.length; cell += 1) {
      const used = cover[cell];
      if (used <= 0) { pixels[cell] = 0; continue; }
      const shade = way.ordered ? Math.round(sum[cell] / used) : best[cell];
      const strength = Math.max(10, Math.min(1, used) * 255 * dim);
      pixels[cell] = ((strength << 24) | words[shade]) >>> 0;
    }
    inner.putImageData(this.picture, 0, 0);
  }

  box(start, finish, host, hosts, perSecond, perHost) {
    return [LEFT + (start - this.shared.from) * perSecond, (host - this.low) * perHost, Math.max((finish - start) * perSecond, 0.75), Math.max(hosts * perHost, 0.75)];
  }

  drawBars(pen, large, perSecond, perHost) {
    const { bars, jobs } = this.run, { colours, of } = this.way;
    const byShade = colours.map(() => []);
    for (const bar of large) byShade[of[bars.job[bar]]].push(bar);
    const gap = perHost > 6 ? 1 : 0;
    pen.globalAlpha = this.selected >= 0 ? 0.45 : 1;
    byShade.forEach((members, shade) => {
      pen.fillStyle = paint(colours[shade]);
      for (const bar of members) {
        const [x, y, w, h] = this.box(bars.start[bar], bars.finish[bar], bars.host[bar], bars.count[bar], perSecond, perHost);
        pen.fillRect(x, y, w - 0.75, h - gap);
      }
    });
    pen.globalAlpha = 1;
    if (large.length > 3000) return;
    pen.textAlign = "left";
    for (const bar of large) {
      const [x, y, w, h] = this.box(bars.start[bar], bars.finish[bar], bars.host[bar], bars.count[bar], perSecond, perHost);
      const text = jobs.id[bars.job[bar]], left = Math.max(x, LEFT);
      if (h < 13 || x + w - left < 6.2 * text.length + 8) continue;
      const [r, g, b] = colours[of[bars.job[bar]]];
      if (this.selected >= 0) pen.fillStyle = theme.ink;
      else pen.fillStyle = 0.3 * r + 0.59 * g + 0.11 * b > 140 ? "#000" : "#fff";
      pen.fillText(text, left + 4, y + h / 2 + 4);
    }
  }

  drawConditions(pen, perSecond, perHost, thin) {
    const { kinds, spans } = this.run.conditions;
    const looks = kinds.map(lookOf);
    for (const [start, finish, host, hosts, kind] of spans) {
      if (start > this.shared.to || finish < this.shared.from || host > this.high || host + hosts < this.low) continue;
      const [colour, look] = looks[kind];
      if ((look === "thin") !== thin) continue;
      const [x, y, w, h] = this.box(Math.max(start, this.shared.from), Math.min(finish, this.shared.to), host, hosts, perSecond, perHost);
      if (look === "hatch") {
        pen.globalAlpha = 0.18;
        pen.fillStyle = colour;
        pen.fillRect(x, y, w, h);
        pen.globalAlpha = h * w < 12 ? 0.5 : 1;
        pen.fillStyle = h * w < 12 ? colour : (this.patterns[colour] ||= hatch(pen, colour));
        pen.fillRect(x, y, w, h);
      } else {
        pen.globalAlpha = look === "tint" ? 0.5 : 1;
        pen.fillStyle = colour;
        pen.fillRect(x, thin ? y + h / 4 : y, w, thin ? Math.max(h / 2, 0.75) : h);
      }
    }
    pen.globalAlpha = 1;
    if (!thin) return;
    pen.fillStyle = theme.warn;
    for (const [time] of this.run.events) {
      if (time < this.shared.from || time > this.shared.to) continue;
      const x = LEFT + (time - this.shared.from) * perSecond;
      pen.beginPath();
      pen.moveTo(x - 4, 0); pen.lineTo(x + 4, 0); pen.lineTo(x, 7);
      pen.fill();
    }
  }

  // Jobs that were suspended, or moved: a dotted line from where they stopped to where they went on.
  drawPauses(pen, perSecond, perHost) {
    if (!this.pauses) this.pauses = pausesOf(this.run);
    pen.strokeStyle = theme.ink;
    pen.setLineDash([2, 3]);
    pen.lineWidth = 1;
    pen.beginPath();
    for (const [start, from, finish, to] of this.pauses) {
      if (start > this.shared.to || finish < this.shared.from || (finish - start) * perSecond < 2) continue;
      const [x, y] = this.box(start, finish, from + 0.5, 1, perSecond, perHost);
      pen.moveTo(x, y);
      pen.lineTo(LEFT + (finish - this.shared.from) * perSecond, (to + 0.5 - this.low) * perHost);
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  drawSelected(pen, perSecond, perHost) {
    const { selected, run } = this;
    if (selected < 0) return;
    const { bars, jobs } = run;
    let top = 1e9;
    for (let i = 0; i < bars.job.length; i += 1) {
      if (bars.job[i] !== selected) continue;
      const [x, y, w, h] = this.box(bars.start[i], bars.finish[i], bars.host[i], bars.count[i], perSecond, perHost);
      pen.fillStyle = paint(this.way.colours[this.way.of[selected]]);
      pen.fillRect(x, y, Math.max(w, 3), Math.max(h, 3));
      pen.strokeStyle = theme.ink;
      pen.lineWidth = 2;
      pen.strokeRect(x, y, Math.max(w, 3), Math.max(h, 3));
      top = Math.min(top, y + h / 2);
    }
    const until = Number.isNaN(jobs.start[selected]) ? jobs.submitted[selected] : jobs.start[selected];
    const from = LEFT + (jobs.submitted[selected] - this.shared.from) * perSecond, to = LEFT + (until - this.shared.from) * perSecond;
    const y = top > 1e8 ? 12 : Math.max(top, 6);
    pen.fillStyle = theme.ink;
    pen.fillRect(from, y - 1, to - from, 2);
    pen.fillRect(from - 1, y - 6, 2, 12);
  }

  drawHosts(pen, perHost, tall) {
    pen.textAlign = "right";
    pen.fillStyle = theme.soft;
    const { marks, step } = numberTicks(this.low, this.high, Math.max(1, Math.floor(tall / 40)));
    for (const mark of marks) {
      if (mark >= this.run.hosts || (step < 1 && !Number.isInteger(mark))) continue;
      pen.fillText(plain(mark, 0), LEFT - 6, Math.min(Math.max((mark + (perHost > 8 ? 0.5 : 0) - this.low) * perHost + 4, 10), tall));
    }
    pen.save();
    pen.translate(12, tall / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText("host", 0, 0);
    pen.restore();
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect(), { from, to } = this.shared;
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return { x, y, time: from + ((x - LEFT) / (box.width - LEFT)) * (to - from), host: this.low + (y / (box.height - BOTTOM)) * (this.high - this.low), box };
  }

  // The job under a point: the shortest of those there, so that a large one never hides a small one.
  jobAt({ time, host, box }) {
    const { bars } = this.run, slack = ((this.shared.to - this.shared.from) / box.width) * 1.5, near = ((this.high - this.low) / box.height) * 0.5;
    let hit = -1, least = Infinity;
    for (let i = 0; i < bars.start.length; i += 1) {
      if (time >= bars.start[i] - slack && time <= bars.finish[i] + slack && host >= bars.host[i] - near && host < bars.host[i] + bars.count[i] + near) {
        const off = Math.max(bars.start[i] - time, time - bars.finish[i], 0) * 1e6 + bars.finish[i] - bars.start[i];
        if (off < least) { least = off; hit = bars.job[i]; }
      }
    }
    return hit;
  }

  conditionsAt({ time, host }) {
    const { kinds, spans } = this.run.conditions;
    return spans.filter(([start, finish, low, count]) => time >= start && time < finish && host >= low && host < low + count).map((span) => kinds[span[4]]);
  }
}

const pausesOf = (run) => {
  const { stretches, bars } = run, last = new Map(), first = new Map(), pauses = [];
  for (let i = 0; i < bars.stretch.length; i += 1) {
    const at = bars.stretch[i];
    if (!first.has(at) || bars.host[i] < first.get(at)) first.set(at, bars.host[i]);
  }
  for (let i = 0; i < stretches.job.length; i += 1) {
    const before = last.get(stretches.job[i]);
    if (before !== undefined && stretches.start[i] > stretches.finish[before]) pauses.push([stretches.finish[before], first.get(before) || 0, stretches.start[i], first.get(i) || 0]);
    last.set(stretches.job[i], i);
  }
  return pauses;
};
