// The first view: sums, what is unsteady, what is slow, how to run it again.

const tests = {
  ids: readNames(data.tests.ids),
  outcomes: data.tests.outcomes,
  ms: data.tests.ms,
  slow: new Set(data.tests.slow),
  details: data.tests.details,
};
const outcomeOf = (number) => data.outcomes[tests.outcomes[number]];

function tile(number, name, link, tone) {
  const text = typeof number === "number" ? number.toLocaleString("en") : number;
  const content = [el("b", {}, text), el("span", {}, name)];
  return el("a", { class: `tile ${tone}`, href: link }, content);
}

function section(title, ...content) {
  return el("section", {}, el("h2", {}, title), ...content);
}

function sums() {
  const counts = data.finished.counts;
  const kinds = data.outcomes.filter((kind) => counts[kind.name]);
  const parts = kinds.map((kind) => ({ ...kind, value: counts[kind.name] }));
  const tiles = kinds.map((kind) =>
    tile(counts[kind.name], `${mark(kind)} ${kind.name.replaceAll("_", " ")}`,
      `#tests?${kind.name}`, kind.tone));
  return section("Tests", proportion(parts), el("div", { class: "tiles" }, tiles));
}

function cellSums() {
  const counts = { ...data.summary.verdicts, blank: data.summary.blank };
  if (!data.cells.grids.length) return section("Conformance", el("p", {}, "No cell was judged."));
  const kinds = data.verdicts.filter((kind) => counts[kind.name]).reverse();
  const parts = kinds.map((kind) => ({ ...kind, value: counts[kind.name] }));
  const tiles = kinds.map((kind) =>
    tile(counts[kind.name], `${mark(kind)} ${kind.name}`, `#matrix?${kind.name}`, kind.tone));
  return section(`Conformance: ${count(data.summary.judged, "judged cell")}`,
    proportion(parts), el("div", { class: "tiles" }, tiles));
}

function measures() {
  const mutants = data.mutation;
  const score = mutants ? percent(scoreOf(mutants.total)) : "not measured";
  const tiles = [tile(score, "mutation score", "#mutants", "quiet")];
  for (const part of data.coverage?.languages || []) {
    tiles.push(tile(percent(part.covered / part.lines), `${part.name} lines run`, "#coverage",
      "quiet"));
  }
  if (!data.coverage) tiles.push(tile("not measured", "coverage", "#coverage", "quiet"));
  return section("Strength", el("div", { class: "tiles" }, tiles));
}

function testLink(number) {
  const id = tests.ids[number];
  if (tests.details[number]) {
    return el("a", { href: `#failures/${encodeURIComponent(id)}` }, id);
  }
  return el("code", {}, id);
}

function slowest() {
  const order = tests.ms.map((_, number) => number).sort((a, b) => tests.ms[b] - tests.ms[a]);
  const most = tests.ms[order[0]] || 1;
  const rows = order.slice(0, 10).map((number) => {
    const share = Math.max(1, (100 * tests.ms[number]) / most);
    return el("tr", {},
      el("td", { class: "right" }, seconds(tests.ms[number])),
      el("td", { class: "meter" }, el("span", { style: `width:${share}%` })),
      el("td", {}, testLink(number), tests.slow.has(number) ? " (over the slow mark)" : ""));
  });
  const head = ["Time", "", "Test"].map((text) => el("th", { scope: "col" }, text));
  return section("Slowest", el("div", { class: "scroll" },
    el("table", { class: "rows" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))));
}

function noteRows(numbers, what) {
  const items = numbers.map((number) => {
    const text = what(tests.details[number]);
    return el("li", {}, badge(outcomeOf(number)), " ", testLink(number),
      text ? el("p", {}, text) : null);
  });
  return items.length ? el("ul", { class: "plain-list" }, items) : el("p", {}, "None.");
}

function unsteady() {
  const noted = Object.keys(tests.details).map(Number);
  const shaky = noted.filter((number) => outcomeOf(number).tone === "unsteady");
  const held = noted.filter((number) => tests.details[number].quarantined);
  const wrong = data.finished.quarantine || [];
  return [
    section("Flaky, order-dependent, or the machine's fault",
      noteRows(shaky.slice(0, 50), (details) => details.note)),
    section("In quarantine", noteRows(held.slice(0, 50), (details) => details.quarantined),
      ...wrong.map((line) => el("p", { class: "note" }, line))),
  ];
}

function aboutRun() {
  const { plan, run } = data;
  const stages = Object.entries(run.stages).map(([name, absent]) =>
    el("li", {}, name, absent ? ` (absent: ${absent})` : ""));
  const left = plan.deselected ? `; ${plan.deselected} left out by -k, -m or a group` : "";
  return section("Run it again", code(run.command, "command of this run"),
    el("p", {}, `Plan ${plan.hash}, shard ${plan.shard} of ${plan.shards}: `
      + `${count(plan.tests, "test")}${left}.`),
    stages.length
      ? el("details", {}, el("summary", {}, "Stages"), el("ol", {}, stages)) : null);
}

function overview() {
  const top = el("div", { class: "columns" }, sums(), cellSums(), measures());
  return [top, aboutRun(), slowest(), ...unsteady()];
}
