// The live view: asks four times a second what is new, and says what people want done.
const EVERY = 250;
const state = { known: {}, follows: true, gone: false };
const byNumber = new Map();
const status = document.getElementById("status"), panels = document.getElementById("panels"), eventList = document.getElementById("events");
readTheme();

const post = async (path, body) => {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), cache: "no-store" });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  return told;
};

const act = async (number, what, more = {}) => {
  const panelOf = byNumber.get(number).panel;
  try {
    const { done } = await post("do", { what, run: number, ...more });
    panelOf.say(done === null || what === "fork" ? "" : `submitted as ${done}`);
    await refresh();
  } catch (fault) {
    panelOf.say(fault.message, true);
  }
};

const field = (label, name, placeholder) => make("label", {}, `${label} `, make("input", { name, placeholder, size: "9", autocomplete: "off" }));
const form = (title, fields, send) => make("form", { onsubmit: (event) => {
  event.preventDefault();
  send(Object.fromEntries(new FormData(event.target)));
} }, ...fields, make("button", { type: "submit" }, title));

const makePanel = (number) => {
  const name = make("h2"), facts = make("p", { class: "now" }), bar = make("progress", { max: "1", value: "0", "aria-label": "Jobs that are over" }), said = make("p", { role: "status", class: "said" });
  const go = make("button", { type: "button", onclick: () => act(number, byNumber.get(number).told.paused ? "resume" : "pause") }, "Pause");
  const step = make("button", { type: "button", onclick: () => act(number, "step") }, "Step");
  const fork = make("button", { type: "button", onclick: () => act(number, "fork") }, "What if: fork");
  const drop = make("button", { type: "button", hidden: number === 0, onclick: () => act(number, "drop") }, "Drop");
  const body = make("section", { class: "run", "aria-label": `Run ${number}` }, name, facts, bar,
    make("div", { class: "tools" }, go, step, fork, drop,
      form("Run to", [field("Time", "time", "5h, 1996-10-01")], (values) => act(number, "until", values)),
      form("Set speed", [field("Simulated time in a second", "speed", "fastest")], (values) => act(number, "speed", values))),
    make("div", { class: "tools" },
      form("Submit job", [field("Hosts", "hosts", "4"), field("Run time", "runs", "1h"), field("Walltime", "walltime", "none")], (values) => act(number, "job", values)),
      make("form", { onsubmit: (event) => {
        event.preventDefault();
        act(number, event.submitter.value, Object.fromEntries(new FormData(event.target)));
      } }, field("Hosts", "hosts", "0-3 7"), make("button", { type: "submit", value: "fail" }, "Fail"), " ", make("button", { type: "submit", value: "repair" }, "Repair"))),
    said);
  panels.append(body);
  const controls = [go, step, fork];
  return { body, say: (text, bad) => { said.textContent = text; said.classList.toggle("bad", Boolean(bad)); },
    show: (told) => {
      name.textContent = told.name;
      name.hidden = !told.name;
      const ended = told.over ? (told.outcome === "complete" ? "complete" : told.outcome) : told.stuck ? `waiting for you: ${told.stuck}` : told.paused ? "paused" : "running";
      const speed = told.speed ? `, ${duration(told.speed)} in a second` : "";
      facts.textContent = `${ended}${speed} · ${moment(told.now, told.zero)} · ${plain(told.rows[0])} of ${plain(told.total)} jobs over · ${plain(told.running.length)} running · ${plain(told.submitted.length)} waiting`;
      bar.value = told.total ? Math.min(told.rows[0] / told.total, 1) : 0;
      go.textContent = told.paused ? "Resume" : "Pause";
      for (const control of controls) control.disabled = told.over;
    } };
};

const forgetRun = (number) => {
  const { gantt, panel: gone } = byNumber.get(number);
  gone.body.remove();
  gantt.canvas.parentElement.remove();
  runs.splice(runs.indexOf(gantt.run), 1);
  gantts.splice(gantts.indexOf(gantt), 1);
  byNumber.delete(number);
  document.getElementById("gantts").classList.toggle("several", runs.length > 1);
};

const take = (number, told) => {
  let one = byNumber.get(number);
  if (!one) {
    const run = emptyRun(told, number);
    one = { panel: makePanel(number), gantt: addRun(run) };
    byNumber.set(number, one);
  } else if (one.gantt.run.generation !== told.generation) {
    const fresh = emptyRun(told, number);
    runs[runs.indexOf(one.gantt.run)] = fresh;
    one.gantt.run = fresh;
  }
  const { run } = one.gantt, chosen = one.gantt.selected >= 0 ? run.jobs.id[one.gantt.selected] : null;
  one.told = told;
  grow(run, told);
  one.gantt.order = null;
  one.gantt.selected = chosen !== null && run.places.has(chosen) ? run.places.get(chosen) : -1;
  const title = one.gantt.canvas.parentElement.querySelector("h3");
  title.textContent = told.name;
  title.hidden = !told.name;
  one.panel.show(told);
};

const showEvents = () => {
  const lines = [];
  for (const run of runs) {
    const { kinds, spans } = run.conditions;
    for (const [start, , host, count, kind] of spans) lines.push([start, `${run.name ? `${run.name}: ` : ""}${kinds[kind]}: ${count > 1 ? `hosts ${host} to ${host + count - 1}` : `host ${host}`}`, run.zero]);
    for (const [time, kind, said] of run.events) lines.push([time, `${run.name ? `${run.name}: ` : ""}${kind} ${said}`, run.zero]);
  }
  lines.sort((a, b) => b[0] - a[0]);
  eventList.replaceChildren(...lines.slice(0, 100).map(([time, text, zero]) => make("li", {}, `${moment(time, zero)}  ${text}`)), ...(lines.length ? [] : [make("li", {}, "none so far")]));
};

// One after the other, so that no row is taken twice.
let turn = Promise.resolve();
const refresh = () => { turn = turn.then(refreshOnce, refreshOnce); return turn; };
const refreshOnce = async () => {
  const known = {};
  for (const [number, { gantt: { run } }] of byNumber) known[number] = { generation: run.generation, jobs: run.rows[0], stretches: run.rows[1], energy: run.rows[2], changes: run.changes };
  const told = await post("state", { what: "state", known });
  for (const number of [...byNumber.keys()]) if (!(number in told)) forgetRun(number);
  for (const [number, one] of Object.entries(told)) take(Number(number), one);
  const atEnd = view.to >= view.last - (view.to - view.from) * 1e-6, whole = view.from <= view.first;
  const last = Math.max(...runs.map((run) => run.now)) || 60;
  if (atEnd) view.from = whole ? 0 : view.from + (last - view.last);
  if (atEnd) view.to = last;
  [view.first, view.last] = [0, last];
  if (view.to <= view.from) [view.from, view.to] = [0, last];
  for (const curve of curves) curve.lines = [];
  runs.forEach((run, rank) => curvesOf(run, 0, last).forEach((curve) => addCurve(run, rank, curve)));
  gantts.forEach(nameCanvas);
  offerColours();
  recolour();
  showEvents();
  draw();
  status.textContent = "connected";
  status.classList.remove("bad");
};

const ask = async () => {
  try {
    await refresh();
    state.gone = false;
  } catch (fault) {
    state.gone = true;
    status.textContent = `no answer: the run is over, or was stopped (${fault.message})`;
    status.classList.add("bad");
  }
  setTimeout(ask, state.gone ? 2000 : EVERY);
};
listenToPage();
ask();
