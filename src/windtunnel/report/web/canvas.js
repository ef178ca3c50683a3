// Canvases in device pixels, and the axis of time that all pictures share.
const LEFT = 64, BOTTOM = 34;
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
};

const theme = {};
const readTheme = () => {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "paper", "panel", "line", "mark", "warn"]) theme[name] = style.getPropertyValue(`--${name}`).trim();
  theme.runs = Array.from({ length: 8 }, (_, i) => style.getPropertyValue(`--run${i}`).trim());
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
  pen.fillStyle = theme.panel;
  pen.fillRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  return { pen, width, height };
};

const timeAxis = (pen, width, height, view, zero) => {
  const { marks, told } = timeTicks(view.from, view.to, Math.max(2, Math.floor((width - LEFT) / 90)), zero);
  pen.textAlign = "center";
  for (const [mark, label] of marks) {
    const x = LEFT + ((mark - view.from) / (view.to - view.from)) * (width - LEFT);
    pen.fillStyle = theme.line;
    pen.fillRect(x, 0, 1, height - BOTTOM);
    pen.fillStyle = theme.soft;
    const half = pen.measureText(label).width / 2;
    pen.fillText(label, Math.min(Math.max(x, LEFT + half), width - half - 2), height - BOTTOM + 13);
  }
  pen.textAlign = "right";
  pen.fillText(told, width - 4, height - 5);
};
