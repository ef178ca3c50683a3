// Curves over time below the schedule; several runs lie over each other, each in its colour.
const drawCurve = ({ name, unit, top: known, lines, surface, zero }, view) => {
  if (surface.clientHeight <= BOTTOM + 18) return;
  const { pen, width, height } = prepare(surface);
  const tall = height - BOTTOM - 18, whole = view.last - view.first;
  timeAxis(pen, width, height, view, zero);
  let top = known || 0, low = 0;
  const ranges = lines.map(({ values }) => {
    const size = whole / values.length;
    const first = Math.max(0, Math.floor((view.from - view.first) / size)), last = Math.min(values.length, Math.ceil((view.to - view.first) / size));
    if (!known) {
      for (let i = first; i < last; i += 1) {
        top = Math.max(top, values[i]);
        low = Math.min(low, values[i]);
      }
    }
    return { first, last, size };
  });
  top = top || (low < 0 ? 0 : 1);
  const y = (value) => 18 + tall * ((top - value) / (top - low));
  pen.textAlign = "right";
  for (const mark of numberTicks(low, top, 3).marks) {
    pen.fillStyle = theme.line;
    pen.fillRect(LEFT, y(mark), width - LEFT, 1);
    pen.fillStyle = theme.soft;
    pen.fillText(short(mark), LEFT - 6, y(mark) + 4);
  }
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, 0, width - LEFT, height - BOTTOM + 1);
  pen.clip();
  lines.forEach(({ values, rank }, i) => {
    const { first, last, size } = ranges[i];
    const x = (bin) => LEFT + ((view.first + bin * size - view.from) / (view.to - view.from)) * (width - LEFT);
    pen.strokeStyle = theme.runs[rank % 8];
    pen.lineWidth = 1.4;
    pen.beginPath();
    for (let bin = first; bin < last; bin += 1) {
      if (bin === first) pen.moveTo(x(bin), y(values[bin]));
      else pen.lineTo(x(bin), y(values[bin]));
      pen.lineTo(x(bin + 1), y(values[bin]));
    }
    pen.stroke();
    if (lines.length === 1) {
      pen.lineTo(x(last), y(0));
      pen.lineTo(x(first), y(0));
      pen.globalAlpha = 0.25;
      pen.fillStyle = theme.runs[rank % 8];
      pen.fill();
      pen.globalAlpha = 1;
    }
  });
  pen.restore();
  let x = LEFT + 4;
  pen.textAlign = "left";
  pen.fillStyle = theme.ink;
  const title = unit ? `${name} [${unit}]` : name;
  pen.fillText(title, x, 12);
  x += pen.measureText(title).width + 14;
  if (lines.length > 1) {
    for (const line of lines) {
      pen.fillStyle = theme.runs[line.rank % 8];
      pen.fillRect(x, 7, 14, 3);
      pen.fillText(line.run, x + 18, 12);
      x += pen.measureText(line.run).width + 32;
    }
  }
};

const short = (value) => (value >= 1e6 ? `${plain(value / 1e6)} M` : value >= 1e4 ? `${plain(value / 1e3)} k` : plain(value));

const valueAt = ({ lines }, view, time) => lines.map(({ values, run }) => {
  const bin = Math.min(Math.max(Math.floor(((time - view.first) / (view.last - view.first)) * values.length), 0), values.length - 1);
  return (lines.length > 1 ? `${run}: ` : "") + plain(values[bin]);
}).join("\n");
