// A page of tables alone: they sort.
document.querySelectorAll("table.sorts").forEach(sortable);
