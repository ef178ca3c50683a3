// Tables sort by the column whose name is pressed; the table of jobs shows a page at a time.
const keyOf = (cell) => (cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value));
const compareKeys = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));

const sortable = (table) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].sort((a, b) => compareKeys(keyOf(a.cells[column]), keyOf(b.cells[column])) * (down ? -1 : 1));
    table.tBodies[0].replaceChildren(...rows);
  }));
};

const ROWS = 20;
const jobTable = (place, runs, select) => {
  const state = { run: runs[0], column: "waited", down: true, page: 0 };
  const columns = {
    job: [(run, job) => run.jobs.id[job], (value) => value],
    user: [(run, job) => (run.jobs.user ? run.users[run.jobs.user[job]] : ""), (value) => value],
    hosts: [(run, job) => run.jobs.requested[job], (value) => plain(value, 0)],
    submitted: [(run, job) => run.jobs.submitted[job], (value, run) => moment(value, run.zero)],
    waited: [(run, job) => (Number.isNaN(run.jobs.start[job]) ? -1 : waitOf(run, job)), (value) => (value < 0 ? "-" : duration(value))],
    ran: [(run, job) => run.jobs.finish[job] - run.jobs.start[job] || 0, duration],
    state: [(run, job) => stateName(run, job), (value) => value],
  };
  if (!runs.some((run) => run.jobs.user)) delete columns.user;
  const table = make("table"), told = make("span", { role: "status" });
  const order = () => {
    const [key] = columns[state.column], keys = state.run.jobs.id.map((_, job) => key(state.run, job));
    state.order = keys.map((_, job) => job).sort((a, b) => compareKeys(keys[a], keys[b]) * (state.down ? -1 : 1) || a - b);
  };
  const move = (by) => { state.page += by; show(); };
  const back = make("button", { type: "button", onclick: () => move(-1) }, "Previous"), on = make("button", { type: "button", onclick: () => move(1) }, "Next");
  const show = () => {
    const { run } = state, last = Math.max(0, Math.ceil(state.order.length / ROWS) - 1);
    state.page = Math.min(Math.max(state.page, 0), last);
    back.disabled = state.page === 0;
    on.disabled = state.page === last;
    const first = state.page * ROWS, shown = state.order.slice(first, first + ROWS);
    told.textContent = shown.length ? `${plain(first + 1)} to ${plain(first + shown.length)} of ${plain(state.order.length)} jobs` : "no jobs";
    table.tBodies[0].replaceChildren(...shown.map((job) => make("tr", {}, ...Object.entries(columns).map(([name, [key, text]]) => (name === "job"
      ? make("th", { scope: "row" }, make("button", { type: "button", onclick: () => select(run, job) }, run.jobs.id[job]))
      : make("td", {}, text(key(run, job), run)))))));
  };
  const heads = Object.keys(columns).map((name) => make("th", { scope: "col" }, make("button", { type: "button", onclick: () => {
    state.down = state.column === name ? !state.down : true;
    state.column = name;
    state.page = 0;
    mark();
    order();
    show();
  } }, name)));
  const mark = () => heads.forEach((head, i) => {
    head.removeAttribute("aria-sort");
    if (Object.keys(columns)[i] === state.column) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
  });
  table.append(make("caption", {}, "Jobs; the longest waits first, until another column is pressed"), make("thead", {}, make("tr", {}, ...heads)), make("tbody"));
  const controls = make("div", { class: "pages" }, back, on, told);
  if (runs.length > 1) {
    const choice = make("select", { onchange: (event) => { state.run = runs[event.target.selectedIndex]; state.page = 0; order(); show(); } }, ...runs.map((run) => make("option", {}, run.name)));
    controls.prepend(make("label", {}, "Run ", choice));
  }
  place.append(controls, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Jobs" }, table));
  mark();
  order();
  show();
};
