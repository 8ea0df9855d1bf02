// What changed between two runs: one view for each kind of change.

const kinds = [...data.outcomes, ...data.verdicts];

function then(name) {
  const kind = kinds.find((candidate) => candidate.name === name);
  return kind ? badge(kind) : name;
}

function changeRow(change) {
  const arrow = change.before && change.after ? " → " : null;
  const parts = [change.before ? then(change.before) : null, arrow,
    change.after ? then(change.after) : null];
  const more = change.detail ? el("details", {},
    el("summary", {}, change.detail.trim().split("\n")[0].slice(0, 200)),
    ...titled("What went wrong", change.detail), ...titled("Paste to reproduce", change.snippet))
    : null;
  return el("tr", {}, el("td", { class: "arrow" }, parts),
    el("td", {}, el("code", {}, change.name), more));
}

function changes(kind, query) {
  const all = data.changes[kind];
  const fits = matcher(query);
  const rows = all.filter((change) =>
    fits(`${change.name} ${change.before} ${change.after} ${change.detail}`));
  say(count(rows.length, "change"));
  if (!all.length) return [el("p", { class: "empty" }, "None.")];
  return [el("section", {}, longTable(["change", "what"], rows, changeRow,
    `${rows.length.toLocaleString("en")} of ${count(all.length, "change")}`))];
}

startViews(Object.entries(data.titles).map(([kind, name]) => ({
  id: kind, name, number: data.changes[kind].length, quiet: kind !== "failures",
  draw: (query) => changes(kind, query),
})), {});
