// The report: everything put together.
const data = JSON.parse(document.getElementById("data").textContent).runs;
[view.first, view.last] = [data[0].from, data[0].from + Math.max(data[0].to - data[0].from, 1e-9)];
[view.from, view.to] = [view.first, view.last];
readTheme();
data.map(unpackRun).forEach(addRun);
runs.forEach((run, rank) => run.curves.forEach((curve) => addCurve(run, rank, curve)));
offerColours();
recolour();
listenToPage();
document.querySelectorAll("table.sorts").forEach(sortable);
jobTable(document.getElementById("jobs"), runs, (run, job) => { select(run, job); panel.focus(); });
drawNow();
