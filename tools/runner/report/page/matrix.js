// The conformance matrix: ops down, check kinds across, dtypes below an op on demand.

class Grid {
  constructor(raw) {
    Object.assign(this, raw);
    this.size = raw.verdicts.length;
    this.reasonOf = readRuns(raw.reasons, this.size);
    this.testOf = readRuns(raw.tests, this.size);
  }

  index(op, check, dtype, device) {
    const { checks, dtypes, devices } = this;
    return ((op * checks.length + check) * dtypes.length + dtype) * devices.length + device;
  }

  verdict(index) {
    return this.verdicts.charCodeAt(index) - 97;
  }

  reason(index) {
    return data.cells.reasons[this.reasonOf[index]];
  }

  place(index) {
    const { checks, dtypes, devices } = this;
    const device = index % devices.length;
    const rest = (index - device) / devices.length;
    const dtype = rest % dtypes.length;
    const pair = (rest - dtype) / dtypes.length;
    const check = pair % checks.length;
    return { op: (pair - check) / checks.length, check, dtype, device };
  }
}

const grids = data.cells.grids.map((raw) => new Grid(raw));
const chosenVerdicts = new Set();
const openOps = new Set();
const shown = { impl: "all", device: "all", level: "all", check: "all" };
const ALL = "all";
const LEVELS = ["must", "should", "may"];

function cellOfTest(number) {
  for (const grid of grids) {
    const index = grid.testOf.indexOf(number + 1);
    if (index >= 0) {
      const { op, check } = grid.place(index);
      const path = [grid.impl, grid.ops[op], grid.checks[check]];
      return { name: path.join(" / "), link: `#matrix/${path.map(encodeURIComponent).join("/")}` };
    }
  }
  return null;
}

const chosenGrids = () => grids.filter((grid) => shown.impl === ALL || grid.impl === shown.impl);

function axis(name) {
  return [...new Set(chosenGrids().flatMap((grid) => grid[name]))].sort();
}

function levelOf(check) {
  const grid = grids.find((candidate) => candidate.checks.includes(check));
  return grid ? grid.levels[grid.checks.indexOf(check)] : "";
}

const isShown = (check) => (shown.check === ALL || check === shown.check)
  && (shown.level === ALL || levelOf(check) === shown.level);

// Numbers of cells by verdict for one box; `dtype` narrows it to one row below the op.
function countBox(op, check, dtype = ALL) {
  const counts = new Array(data.verdicts.length).fill(0);
  for (const grid of chosenGrids()) {
    const [o, c] = [grid.ops.indexOf(op), grid.checks.indexOf(check)];
    if (o < 0 || c < 0) continue;
    grid.dtypes.forEach((name, t) => {
      if (dtype !== ALL && name !== dtype) return;
      grid.devices.forEach((device, d) => {
        if (shown.device === ALL || device === shown.device) {
          counts[grid.verdict(grid.index(o, c, t, d))] += 1;
        }
      });
    });
  }
  return counts;
}

const inWords = (counts) => counts.map((number, kind) => [number, data.verdicts[kind].name])
  .filter(([number]) => number).reverse().map((pair) => pair.join(" ")).join(", ");

function box(op, check, dtype = ALL) {
  const counts = countBox(op, check, dtype);
  const heaviest = counts.findLastIndex((number) => number > 0);
  if (heaviest < 0) return el("td");
  const kind = data.verdicts[heaviest];
  const below = dtype === ALL ? "" : `, ${dtype}`;
  const faded = chosenVerdicts.size && !counts.some((number, place) =>
    number && chosenVerdicts.has(data.verdicts[place].name));
  return el("td", {}, el("button", {
    type: "button", tabindex: "-1", class: `box ${kind.tone}${faded ? " faded" : ""}`,
    "data-op": op, "data-check": check, title: `${op}, ${check}${below}: ${inWords(counts)}`,
    "aria-label": `${op}, ${check}${below}: ${inWords(counts)}`,
    onclick: () => openCell(op, check, dtype),
  }, mark(kind)));
}

function opRows(op, checks) {
  const open = openOps.has(op);
  const toggle = el("button", {
    type: "button", class: "op", tabindex: "-1", "aria-expanded": String(open), "data-op": op,
    onclick: () => toggleOp(op, checks),
  }, op);
  const row = el("tr", { "data-row": op }, el("th", { scope: "row" }, toggle),
    checks.map((check) => box(op, check)));
  return open ? [row, ...dtypeRows(op, checks)] : [row];
}

function dtypeRows(op, checks) {
  return axis("dtypes").map((dtype) => el("tr", { class: "below", "data-below": op },
    el("th", { scope: "row" }, dtype), checks.map((check) => box(op, check, dtype))));
}

function toggleOp(op, checks) {
  const rows = [...document.querySelectorAll(`tr[data-row="${CSS.escape(op)}"]`)];
  const open = !openOps.delete(op);
  if (open) openOps.add(op);
  for (const row of rows) {
    row.querySelector(".op").setAttribute("aria-expanded", String(open));
    while (row.nextElementSibling?.dataset.below === op) row.nextElementSibling.remove();
    if (open) row.after(...dtypeRows(op, checks));
  }
}

// Sums of the chosen cells by op and by check in one pass over the characters.
function survey() {
  const byOp = {};
  const totals = {};
  for (const grid of chosenGrids()) {
    const wanted = grid.checks.map(isShown);
    for (let index = 0; index < grid.size; index += 1) {
      const { op, check, device } = grid.place(index);
      if (shown.device !== ALL && grid.devices[device] !== shown.device) continue;
      if (!wanted[check]) continue;
      const name = data.verdicts[grid.verdict(index)].name;
      totals[name] = (totals[name] || 0) + 1;
      (byOp[grid.ops[op]] ||= new Set()).add(name);
    }
  }
  return { byOp, totals };
}

function matrixTable(ops, checks) {
  const head = el("tr", {}, el("th", { scope: "col" }, "op"), checks.map((check) =>
    el("th", { scope: "col", class: "check", title: levelOf(check) }, el("span", {}, check))));
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more" });
  let drawn = 0;
  const next = () => {
    body.append(...ops.slice(drawn, drawn + 60).flatMap((op) => opRows(op, checks)));
    drawn = Math.min(ops.length, drawn + 60);
    more.hidden = drawn === ops.length;
    more.textContent = `Show more (${drawn} of ${count(ops.length, "op")})`;
  };
  more.addEventListener("click", next);
  next();
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting) && !more.hidden) next();
  }, { rootMargin: "600px" }).observe(more);
  const table = el("table", { class: "matrix", onkeydown: moveInMatrix },
    el("caption", { class: "hidden" }, "Verdicts of op by check kind"), el("thead", {}, head), body);
  body.querySelector("button")?.setAttribute("tabindex", "0");
  return el("div", { class: "matrix-scroll" }, table, more);
}

// The arrow keys go from box to box; one of them is reached by Tab.
function moveInMatrix(event) {
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  const cell = event.target.closest("td, th");
  if (!cell || !(event.key in steps || event.key === "Home" || event.key === "End")) return;
  event.preventDefault();
  const [down, across] = steps[event.key] || [0, 0];
  const rows = [...cell.closest("tbody").rows];
  let row = rows.indexOf(cell.parentElement) + down;
  let column = cell.cellIndex + across;
  if (event.key === "Home") column = 0;
  if (event.key === "End") column = cell.parentElement.cells.length - 1;
  let target = rows[row]?.cells[column]?.querySelector("button");
  while (!target && rows[row] && column > 0 && column < rows[row].cells.length
    && (down || across)) {
    row += down;
    column += across;
    target = rows[row]?.cells[column]?.querySelector("button");
  }
  if (!target) return;
  event.target.setAttribute("tabindex", "-1");
  target.setAttribute("tabindex", "0");
  target.focus();
}

function matrixControls(totals) {
  const set = (name) => (value) => {
    shown[name] = value;
    redraw();
  };
  return el("div", { class: "controls" },
    choice("Implementation", [ALL, ...grids.map((grid) => grid.impl)], shown.impl, set("impl")),
    choice("Device", [ALL, ...axis("devices")], shown.device, set("device")),
    choice("Level", [ALL, ...LEVELS.filter((level) => axis("levels").includes(level))], shown.level, set("level")),
    choice("Check", [ALL, ...axis("checks")], shown.check, set("check")),
    switches([...data.verdicts].reverse(), totals, chosenVerdicts, redraw));
}

function matrix(query) {
  if (!grids.length) return [el("p", { class: "empty" }, "No cell was judged in this run.")];
  const { byOp, totals } = survey();
  const fits = matcher(query);
  const all = axis("checks").filter(isShown);
  const named = query ? all.filter((check) => fits(check)) : [];
  const checks = named.length ? named : all;
  const ops = axis("ops").filter((op) => (named.length || fits(op))
    && (!chosenVerdicts.size || [...chosenVerdicts].some((name) => byOp[op]?.has(name))));
  say(`${count(ops.length, "op")}, ${count(checks.length, "check kind")}`);
  return [matrixControls(totals),
    el("p", { class: "found" }, `${count(ops.length, "op")} × ${count(checks.length, "check kind")}. `
      + "A box shows the heaviest verdict of its dtypes and devices; open it for each of them, "
      + "or an op for its dtypes."),
    matrixTable(ops, checks)];
}
