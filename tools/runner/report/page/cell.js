// The drawer beside the matrix: every dtype and device of one box, and the failing input.

let opener = null;

function closeCell() {
  byId("drawer")?.remove();
  document.body.classList.remove("with-drawer");
  opener?.focus();
  opener = null;
}

function cellsOf(op, check, dtype) {
  const found = [];
  for (const grid of chosenGrids()) {
    const [o, c] = [grid.ops.indexOf(op), grid.checks.indexOf(check)];
    if (o < 0 || c < 0) continue;
    grid.dtypes.forEach((name, t) => grid.devices.forEach((device, d) => {
      if (dtype !== ALL && name !== dtype) return;
      if (shown.device !== ALL && device !== shown.device) return;
      const index = grid.index(o, c, t, d);
      found.push({ grid: grid.impl, dtype: name, device, verdict: grid.verdict(index),
        reason: grid.reason(index), test: grid.testOf[index] - 1 });
    }));
  }
  return found;
}

// Cells with the same verdict for the same reason are one line; a failure always has its own.
function grouped(cells) {
  const groups = new Map();
  for (const cell of cells) {
    const kind = data.verdicts[cell.verdict];
    const own = kind.tone === "bad" ? `${cell.dtype} ${cell.test}` : "";
    const key = [cell.grid, cell.device, cell.verdict, cell.reason, own].join("\n");
    const group = groups.get(key);
    if (group) group.dtypes.push(cell.dtype);
    else groups.set(key, { ...cell, kind, dtypes: [cell.dtype] });
  }
  return [...groups.values()].sort((a, b) => b.verdict - a.verdict);
}

function cellGroup(group) {
  const where = grids.length > 1 ? `${group.grid} · ${group.device}` : group.device;
  const parts = [el("p", {}, badge(group.kind), " ", el("strong", {}, group.dtypes.join(", ")),
    el("span", { class: "where" }, ` on ${where}`))];
  const details = tests.details[group.test];
  if (details) parts.push(...evidence(details));
  else if (group.reason) parts.push(el("p", { class: "reason" }, group.reason));
  return el("article", { class: "cell", "data-verdict": group.kind.name }, parts);
}

function openCell(op, check, dtype = ALL) {
  const from = document.activeElement;
  byId("drawer")?.remove();
  opener = from?.matches(".box") ? from : null;
  const groups = grouped(cellsOf(op, check, dtype));
  const title = el("h2", { id: "drawer-title", tabindex: "-1" }, `${op} · ${check}`);
  const close = el("button", { type: "button", class: "plain", "aria-label": "Close", onclick: closeCell }, "✕");
  const drawer = el("aside", { id: "drawer", role: "dialog", "aria-labelledby": "drawer-title" },
    el("header", {}, title, close),
    groups.length ? groups.map(cellGroup) : el("p", {}, "No such cell in this run."));
  document.body.append(drawer);
  document.body.classList.add("with-drawer");
  title.focus();
}
